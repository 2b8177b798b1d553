import {
  cpuSecondsOf,
  processTree,
  residentBytes,
  type Thread,
  threadsOf,
} from "./process_tree.ts";

/** What to run. */
export interface CommandLine {
  readonly command: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
}

/** What a process cost, its children included. */
export interface ProcessCost {
  readonly exitCode: number;
  readonly wallSeconds: number;
  /** User and system time. */
  readonly cpuSeconds: number;
  /** What its threads used of that, as last seen: some hundredths of a second may be missing. */
  readonly threads: readonly Thread[];
  readonly peakBytes: number;
  /** Epoch in milliseconds. */
  readonly startedMs: number;
  /** The end of what it wrote. */
  readonly output: string;
}

/** Nothing here runs longer, unless it hangs. */
const DEADLINE_MS = 900_000;
/** Memory is looked at so often. */
const WATCH_INTERVAL_MS = 50;
/** The threads are looked at at every fourth of these looks. */
const LOOKS_PER_THREADS = 4;
const KEPT_OUTPUT = 2000;

/**
 * A shell runs the command and then tells what its children used: the kernel has added that up
 * exactly, threads and grandchildren included. As many files may be open as the system permits.
 */
const WRAPPER = `ulimit -n "$(ulimit -Hn)" 2>/dev/null
log=$1; shift
"$@" >"$log" 2>&1 </dev/null
code=$?
times
exit $code`;

/** A process whose costs are measured from outside. */
export class MeasuredProcess {
  readonly #wrapper: Deno.ChildProcess;
  readonly #startedMs: number;
  readonly #log: string;
  #peakBytes = 0;
  #looks = 0;
  readonly #threads = new Map<number, Thread>();
  /** Resolves when the process has ended. */
  readonly cost: Promise<ProcessCost>;

  private constructor(wrapper: Deno.ChildProcess, startedMs: number, log: string) {
    this.#wrapper = wrapper;
    this.#startedMs = startedMs;
    this.#log = log;
    this.cost = this.#measure();
  }

  /** Starts a command. Its output goes to a file that is read and removed when it has ended. */
  static async start(line: CommandLine): Promise<MeasuredProcess> {
    const log = await Deno.makeTempFile({ prefix: "bench-", suffix: ".log" });
    const startedMs = performance.timeOrigin + performance.now();
    const wrapper = new Deno.Command("sh", {
      args: ["-c", WRAPPER, "sh", log, line.command, ...line.args],
      stdin: "null",
      stdout: "piped",
      stderr: "inherit",
      ...(line.env === undefined ? {} : { env: { ...line.env } }),
      ...(line.cwd === undefined ? {} : { cwd: line.cwd }),
    }).spawn();
    return new MeasuredProcess(wrapper, startedMs, log);
  }

  /** CPU time so far, of what runs. */
  get cpuSeconds(): number {
    return this.#pids.reduce((sum, pid) => sum + cpuSecondsOf(pid), 0);
  }

  /** Sends a signal to the command and all its children. */
  signal(name: Deno.Signal): void {
    for (const pid of this.#pids) {
      try {
        Deno.kill(pid, name);
      } catch {
        // It ended meanwhile.
      }
    }
  }

  get #pids(): number[] {
    return processTree(this.#wrapper.pid).slice(1);
  }

  async #measure(): Promise<ProcessCost> {
    const watch = setInterval(() => this.#watch(), WATCH_INTERVAL_MS);
    const deadline = setTimeout(() => this.signal("SIGKILL"), DEADLINE_MS);
    const { code, stdout } = await this.#wrapper.output();
    clearInterval(watch);
    clearTimeout(deadline);
    const wallSeconds = (performance.timeOrigin + performance.now() - this.#startedMs) / 1000;
    const output = await Deno.readTextFile(this.#log);
    await Deno.remove(this.#log);
    return {
      exitCode: code,
      wallSeconds,
      cpuSeconds: childrenSeconds(new TextDecoder().decode(stdout)),
      threads: [...this.#threads.values()],
      peakBytes: this.#peakBytes,
      startedMs: this.#startedMs,
      output: output.slice(-KEPT_OUTPUT),
    };
  }

  #watch(): void {
    const pids = this.#pids;
    const bytes = residentBytes(pids);
    if (bytes > this.#peakBytes) this.#peakBytes = bytes;
    if (this.#looks++ % LOOKS_PER_THREADS !== 0) return;
    for (const thread of pids.flatMap(threadsOf)) this.#threads.set(thread.id, thread);
  }
}

/** The second line of the shell's `times`: user and system time of its children. */
function childrenSeconds(times: string): number {
  const line = times.trim().split("\n")[1] ?? "";
  const parts = [...line.matchAll(/(\d+)m([\d.]+)s/g)];
  if (parts.length !== 2) throw new Error(`The shell's times are not readable: ${times}`);
  return parts.reduce(
    (sum, [, minutes, seconds]) => sum + Number(minutes) * 60 + Number(seconds),
    0,
  );
}
