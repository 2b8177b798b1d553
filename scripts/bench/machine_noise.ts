/** What else happened on the machine while something was measured, as shares of all its cores. */
export interface Noise {
  /** Time that the hypervisor gave to other machines. */
  readonly stealShare: number;
  /** Time that processes used which have no part in the measurement. */
  readonly othersShare: number;
}

/** Ticks per second of `/proc`; the same on every Linux that Deno runs on. */
const TICKS_PER_SECOND = 100;

interface CpuTicks {
  readonly busy: number;
  readonly idle: number;
  readonly steal: number;
}

/** Watches the machine from its making to {@linkcode NoiseMeter.read}. */
export class NoiseMeter {
  readonly #start = cpuTicks();

  /** @param ownCpuSeconds CPU time of the processes that belong to the measurement */
  read(ownCpuSeconds: number): Noise {
    const end = cpuTicks();
    const busy = end.busy - this.#start.busy;
    const steal = end.steal - this.#start.steal;
    const all = Math.max(1, busy + steal + end.idle - this.#start.idle);
    const others = busy - ownCpuSeconds * TICKS_PER_SECOND;
    return { stealShare: steal / all, othersShare: Math.max(0, others) / all };
  }
}

function cpuTicks(): CpuTicks {
  const line = Deno.readTextFileSync("/proc/stat").split("\n")[0] as string;
  const [user = 0, nice = 0, system = 0, idle = 0, wait = 0, irq = 0, softIrq = 0, steal = 0] = line
    .split(/\s+/).slice(1).map(Number);
  return { busy: user + nice + system + irq + softIrq, idle: idle + wait, steal };
}
