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
    return statOf(`/proc/${pid}`).cpuSeconds;
  } catch {
    return 0;
  }
}

/** A thread that runs. */
export interface Thread {
  readonly id: number;
  /** `main` for the first one. */
  readonly name: string;
  /** User and system time. */
  readonly cpuSeconds: number;
}

/** The threads of a process; none if it has ended. */
export function threadsOf(pid: number): Thread[] {
  try {
    return [...Deno.readDirSync(`/proc/${pid}/task`)].map((task) => {
      const { name, cpuSeconds } = statOf(`/proc/${pid}/task/${task.name}`);
      return { id: Number(task.name), name: Number(task.name) === pid ? "main" : name, cpuSeconds };
    });
  } catch {
    return [];
  }
}

function statOf(folder: string): { name: string; cpuSeconds: number } {
  const stat = Deno.readTextFileSync(`${folder}/stat`);
  // The name in parentheses may hold anything, also spaces.
  const nameEnd = stat.lastIndexOf(")");
  const fields = stat.slice(nameEnd + 2).split(" ");
  return {
    name: stat.slice(stat.indexOf("(") + 1, nameEnd),
    cpuSeconds: (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND,
  };
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
