/** Ends processes by their ids; those that have ended do not matter. */
export function endProcesses(pids: readonly number[]): void {
  for (const pid of pids) {
    try {
      Deno.kill(pid, "SIGTERM");
    } catch {
      // It has ended by itself.
    }
  }
}
