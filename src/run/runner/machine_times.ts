/** Time of all cores of the machine since it began, in its own unit. */
export interface MachineTime {
  readonly total: number;
  /** What the machine's host gave to others meanwhile. */
  readonly stolen: number;
}

const PATH = "/proc/stat";
/** Enough for the first line, which is the sum of all cores. */
const BYTES = 512;
/** user, nice, system, idle, iowait, irq, softirq, steal; followers' time is in the first two. */
const FIELDS = 8;
const decoder = new TextDecoder();

/** Tells how much of the machine's time its host gives to others; Linux alone says so. */
export class MachineTimes {
  readonly #file: Deno.FsFile;

  /** Opens the kernel's count while this thread may; undefined where there is none. */
  static open(): MachineTimes | undefined {
    if (Deno.build.os !== "linux") return undefined;
    try {
      return new MachineTimes(Deno.openSync(PATH));
    } catch {
      return undefined;
    }
  }

  private constructor(file: Deno.FsFile) {
    this.#file = file;
  }

  /** The count now; undefined if it cannot be read. */
  read(): MachineTime | undefined {
    try {
      this.#file.seekSync(0, Deno.SeekMode.Start);
      const buffer = new Uint8Array(BYTES);
      const length = this.#file.readSync(buffer) ?? 0;
      return machineTime(decoder.decode(buffer.subarray(0, length)));
    } catch {
      return undefined;
    }
  }

  close(): void {
    this.#file.close();
  }
}

/** Reads the first line of the kernel's count; undefined if it is no such line. */
export function machineTime(text: string): MachineTime | undefined {
  const [line = ""] = text.split("\n", 1);
  const fields = /^cpu +([\d ]+)$/.exec(line)?.[1]?.split(" ").map(Number).slice(0, FIELDS);
  if (fields === undefined || fields.length < FIELDS) return undefined;
  const total = fields.reduce((sum, value) => sum + value, 0);
  return { total, stolen: fields[FIELDS - 1] as number };
}
