/**
 * GPUs of a server without GPUs, with the metric names of NVIDIA's dcgm-exporter. Each draws an
 * idle power, plus an amount for every request in flight; the energy is the exact integral of the
 * power.
 */

import { floatText } from "./exposition_histogram.ts";

/**
 * Power of an idle GPU in watts; GPUs differ by one watt each, so that tests can distinguish them.
 */
const REST_W = 100;
/** Power in watts that each request in flight adds to each GPU, up to the maximum. */
const REQUEST_W = 25;
/** Most watts of a GPU above its rest. */
const MAX_ADDED_W = 500;
/** Initial value of the energy counter, in millijoules. */
const FIRST_ENERGY_MJ = 1e9;
const MEMORY_MIB = 40_000;

/** Ground truth about a GPU. */
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

  /** Sets the number of requests in flight from now onwards. */
  setRunning(running: number): void {
    this.#settle();
    this.#running = running;
  }

  /** Returns the ground truth of each GPU up to now. */
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
