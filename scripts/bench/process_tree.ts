/** Ticks per second of `/proc`; the same on every Linux that Deno runs on. */
const TICKS_PER_SECOND = 100;

/** A process and all that descend from it, as `/proc` shows them at this moment. */
export function processTree(pid: number): number[] {
  const found = [pid];
  try {
    for (const task of Deno.readDirSync(`/proc/${pid}/task`)) {
      const children = Deno.readTextFileSync(`/proc/${pid}/task/${task.name}/children`);
      for (const child of children.trim().split(" ")) {
        if (child !== "") found.push(...processTree(Number(child)));
      }
    }
  } catch {
    // It ended meanwhile.
  }
  return found;
}

/** CPU time of a process that runs, user and system, without that of its children. */
export function cpuSecondsOf(pid: number): number {
  try {
    const stat = Deno.readTextFileSync(`/proc/${pid}/stat`);
    // The name in parentheses may hold anything, also spaces.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
  } catch {
    return 0;
  }
}

/**
 * Memory of some processes. The highest that one has ever had if it is a single one, which a look
 * now and then would miss; the sum of what they have now if there are several.
 */
export function residentBytes(pids: readonly number[]): number {
  const field = pids.length === 1 ? "VmHWM" : "VmRSS";
  return pids.reduce((sum, pid) => sum + statusBytes(pid, field), 0);
}

function statusBytes(pid: number, field: string): number {
  try {
    const status = Deno.readTextFileSync(`/proc/${pid}/status`);
    return Number(new RegExp(`${field}:\\s+(\\d+) kB`).exec(status)?.[1] ?? 0) * 1024;
  } catch {
    return 0;
  }
}
