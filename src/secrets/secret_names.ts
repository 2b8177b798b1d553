/** Whether a header's value is a secret by its name. */
export function isSecretHeader(name: string): boolean {
  return /authorization|api-?key|token|secret|cookie|password/i.test(name);
}
