/** Messages of operating systems when a process, or the whole system, has too many open files. */
const LIMIT = /too many open files|os error (23|24|10024)\b/i;

/** Whether a message is about files that this process could not open: not the server's fault. */
export function isDescriptorLimit(message: string): boolean {
  return LIMIT.test(message);
}
