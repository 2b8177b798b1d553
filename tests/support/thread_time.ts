/**
 * Seconds for which this thread has had a processor: unlike the time that passes, no matter of what
 * else the machine does. 0 where the system does not tell.
 */
export function threadSeconds(): number {
  try {
    return Number(Deno.readTextFileSync("/proc/thread-self/schedstat").split(" ", 1)[0]) / 1e9;
  } catch {
    return 0;
  }
}
