/** Name of this machine, for those who compare runs of several; `unknown` without leave to ask. */
export function hostName(): string {
  try {
    return Deno.hostname();
  } catch {
    return "unknown";
  }
}
