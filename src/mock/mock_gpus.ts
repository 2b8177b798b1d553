/**
 * GPUs of a server that has none, in the words of NVIDIA's dcgm-exporter. Each takes a resting power,
 * and more for every request under way; their energy is the exact integral of that.
 */

import { floatText } from "./exposition_histogram.ts";

/** Watts of a GPU at rest; the GPUs differ by a watt each, so that they can be told apart. */
const REST_W = 100;
/** Watts that each request under way adds to each GPU, up to the most. */
const REQUEST_W = 25;
/** Most watts of a GPU above its rest. */
const MAX_ADDED_W = 500;
/** What the counter of energy begins with, millijoules. */
const FIRST_ENERGY_MJ = 1e9;
const MEMORY_MIB = 40_000;

/** What a GPU did. */
export interface MockGpuTruth {
  readonly gpu: number;
  readonly powerW: number;
  /** Since the server began, joules. */
  readonly energyJ: number;
}

/** See the module's comment. */
export class MockGpus {
  readonly #count: number;
  readonly #nowMs: () => number;
  #running = 0;
  #sinceMs: number;
  /** Energy above rest, joules of each GPU, up to `sinceMs`. */
  #addedJ = 0;
  readonly #startMs: number;

  /** @param nowMs a clock that never goes back, milliseconds */
  constructor(count: number, nowMs: () => number = () => performance.now()) {
    this.#count = count;
    this.#nowMs = nowMs;
    this.#startMs = this.#sinceMs = nowMs();
  }

  /** From now on so many requests are under way. */
  setRunning(running: number): void {
    this.#settle();
    this.#running = running;
  }

  /** What each did up to now. */
  truth(): MockGpuTruth[] {
    const nowMs = this.#settle();
    return Array.from({ length: this.#count }, (_, gpu) => ({
      gpu,
      powerW: REST_W + gpu + this.#addedW,
      energyJ: (REST_W + gpu) * (nowMs - this.#startMs) / 1e3 + this.#addedJ,
    }));
  }

  /** The exporter's page. */
  exposition(): string {
    const truth = this.truth();
    const share = this.#addedW / MAX_ADDED_W;
    const rows: [name: string, type: string, help: string, value: (gpu: number) => number][] = [
      ["POWER_USAGE", "gauge", "Power draw (in W).", (gpu) => truth[gpu]?.powerW ?? 0],
      [
        "TOTAL_ENERGY_CONSUMPTION",
        "counter",
        "Total energy consumption since boot (in mJ).",
        (gpu) => Math.round(FIRST_ENERGY_MJ + (truth[gpu]?.energyJ ?? 0) * 1e3),
      ],
      ["GPU_UTIL", "gauge", "GPU utilization (in %).", () => Math.round(share * 100)],
      ["MEM_COPY_UTIL", "gauge", "Memory utilization (in %).", () => Math.round(share * 50)],
      ["FB_USED", "gauge", "Framebuffer memory used (in MiB).", () => MEMORY_MIB],
      ["GPU_TEMP", "gauge", "GPU temperature (in C).", () => Math.round(40 + share * 40)],
      ["SM_CLOCK", "gauge", "SM clock frequency (in MHz).", () => 1410],
      ["XID_ERRORS", "gauge", "Value of the last XID error encountered.", () => 0],
      [
        "POWER_VIOLATION",
        "counter",
        "Throttling duration due to power constraints (in us).",
        () => 0,
      ],
    ];
    return rows.map(([name, type, help, value]) => {
      const metric = `DCGM_FI_DEV_${name}`;
      const lines = truth.map(({ gpu }) =>
        `${metric}{gpu="${gpu}",UUID="GPU-mock-${gpu}",pci_bus_id="00000000:0${gpu % 10}:00.0",` +
        `device="nvidia${gpu}",modelName="Mock GPU",Hostname="mock"} ${floatText(value(gpu))}\n`
      );
      return `# HELP ${metric} ${help}\n# TYPE ${metric} ${type}\n${lines.join("")}`;
    }).join("");
  }

  get #addedW(): number {
    return Math.min(MAX_ADDED_W, this.#running * REQUEST_W);
  }

  /** Adds up to now. */
  #settle(): number {
    const nowMs = this.#nowMs();
    this.#addedJ += this.#addedW * (nowMs - this.#sinceMs) / 1e3;
    this.#sinceMs = nowMs;
    return nowMs;
  }
}
