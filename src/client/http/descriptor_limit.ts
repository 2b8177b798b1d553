/** What operating systems say when a process, or all of them together, have too many files open. */
const LIMIT = /too many open files|os error (23|24|10024)\b/i;

/** Whether a message is about files that this process could not open: not the server's fault. */
export function isDescriptorLimit(message: string): boolean {
  return LIMIT.test(message);
}
