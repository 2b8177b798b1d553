import { StallCells } from "./stall_cells.ts";

/** What else happened on the machine while something was measured. */
export interface MachineUse {
  /** Time that the hypervisor says it gave to other machines, as a share of all cores. */
  readonly stealShare: number;
  /** Time that nobody used, as a share of all cores. */
  readonly idleShare: number;
  /** Time that processes used which have no part in the measurement, as a share of all cores. */
  readonly othersShare: number;
  /** Time that the load target used, as a share of all cores. */
  readonly targetShare: number;
  /** Time during which nothing ran, not even what goes first, as a share of the time. */
  readonly stallShare: number;
}

/** CPU time of the processes that belong to a measurement. */
export interface OwnUse {
  readonly clientSeconds: number;
  readonly targetSeconds: number;
}

/** Ticks per second of `/proc`; the same on every Linux that Deno runs on. */
const TICKS_PER_SECOND = 100;

/** A machine that is busy for no more than this share of so long a sample is quiet. */
const MAX_QUIET_SHARE = 0.1;
const QUIET_SAMPLE_MS = 1000;

interface CpuTicks {
  readonly busy: number;
  readonly idle: number;
  readonly steal: number;
}

/** Watches the machine as long as the program runs. */
export class MachineWatch {
  readonly #stalls = new StallCells();

  constructor() {
    const thread = new Worker(new URL("./stall_thread.ts", import.meta.url), { type: "module" });
    thread.postMessage(this.#stalls.buffer);
  }

  /** Waits until the machine has little else to do, at most so long. */
  async waitForQuiet(patienceMs: number): Promise<void> {
    const deadline = performance.now() + patienceMs;
    while (performance.now() < deadline) {
      const start = cpuTicks();
      await new Promise((resolve) => setTimeout(resolve, QUIET_SAMPLE_MS));
      const end = cpuTicks();
      const busy = end.busy - start.busy + end.steal - start.steal;
      if (busy <= (busy + end.idle - start.idle) * MAX_QUIET_SHARE) return;
    }
  }

  /** Begins to watch; the function that is returned ends that and tells what was seen. */
  begin(): (own: OwnUse) => MachineUse {
    const startMs = performance.now();
    const lostMs = this.#stalls.lostMs;
    const start = cpuTicks();
    return ({ clientSeconds, targetSeconds }) => {
      const end = cpuTicks();
      const busy = end.busy - start.busy;
      const steal = end.steal - start.steal;
      const idle = end.idle - start.idle;
      const all = Math.max(1, busy + steal + idle);
      const others = busy - (clientSeconds + targetSeconds) * TICKS_PER_SECOND;
      return {
        stealShare: steal / all,
        idleShare: idle / all,
        othersShare: Math.max(0, others) / all,
        targetShare: targetSeconds * TICKS_PER_SECOND / all,
        stallShare: (this.#stalls.lostMs - lostMs) / (performance.now() - startMs),
      };
    };
  }
}

function cpuTicks(): CpuTicks {
  const line = Deno.readTextFileSync("/proc/stat").split("\n")[0] as string;
  const [user = 0, nice = 0, system = 0, idle = 0, wait = 0, irq = 0, softIrq = 0, steal = 0] = line
    .split(/\s+/).slice(1).map(Number);
  return { busy: user + nice + system + irq + softIrq, idle: idle + wait, steal };
}
