import { Interruption, type SignalReason } from "../../core/run_end/interruption.ts";
import { registerSignalCatcher } from "../../core/thread/signal_pause.ts";
import { EXIT_CODE } from "./exit_code.ts";
import { writeError } from "./terminal.ts";

/**
 * A second signal counts only after a pause: a terminal sends one Ctrl-C to every process of a
 * group, and programs such as `deno task` and `npx` pass on what they get.
 */
const ECHO_MS = 400;

/** Signals that asked the run to end. */
export interface CaughtSignals {
  /** Aborted by the first signal, with an {@linkcode Interruption}. */
  readonly signal: AbortSignal;
  /** Exit code of the caught signal; undefined if none came. */
  readonly exitCode: number | undefined;
  /** Where the message goes; standard error unless something else has the screen. */
  writeMessage: (text: string) => void;
  /** Asks for an orderly end, as Ctrl-C does. */
  interrupt(): void;
}

/** The process as far as signals are concerned. */
export interface SignalledProcess {
  /** Whether it is the first of a container: signals have no default effect on it. */
  readonly isFirst: boolean;
  onSignal(signal: Deno.Signal, listener: () => void): void;
  offSignal(signal: Deno.Signal, listener: () => void): void;
  exit(code: number): void;
  writeError(text: string): void;
  nowMs(): number;
}

const THIS_PROCESS: SignalledProcess = {
  isFirst: Deno.pid === 1,
  onSignal: (signal, listener) => Deno.addSignalListener(signal, listener),
  offSignal: (signal, listener) => Deno.removeSignalListener(signal, listener),
  exit: (code) => Deno.exit(code),
  writeError,
  nowMs: () => performance.now(),
};

/**
 * Catches SIGINT, SIGTERM and SIGHUP. The first asks for an orderly end, a later one ends the
 * process at once.
 * @param message written when the first one comes
 */
export function catchSignals(message = "", process = THIS_PROCESS): CaughtSignals {
  const controller = new AbortController();
  let exitCode: number | undefined;
  let firstMs = 0;
  const onSignal = (reason: SignalReason) => {
    if (exitCode !== undefined) {
      if (process.nowMs() - firstMs > ECHO_MS) process.exit(EXIT_CODE[reason]);
      return;
    }
    firstMs = process.nowMs();
    exitCode = EXIT_CODE[reason];
    caught.writeMessage(message);
    controller.abort(new Interruption(reason));
  };
  const caught: CaughtSignals = {
    signal: controller.signal,
    get exitCode() {
      return exitCode;
    },
    writeMessage: (text) => process.writeError(text),
    interrupt() {
      if (exitCode === undefined) onSignal("interrupted");
    },
  };
  const interrupt = () => onSignal("interrupted");
  const terminate = () => onSignal("terminated");
  const listeners: [Deno.Signal, () => void][] = [["SIGINT", interrupt]];
  if (Deno.build.os !== "windows") {
    listeners.push(["SIGTERM", terminate]);
    if (!ignoresHangUp()) listeners.push(["SIGHUP", terminate]);
  }
  const resume = () => {
    for (const [signal, listener] of listeners) process.onSignal(signal, listener);
  };
  const pause = () => {
    for (const [signal, listener] of listeners) process.offSignal(signal, listener);
  };
  resume();
  if (!process.isFirst) registerSignalCatcher({ pause, resume });
  return caught;
}

/** Whether the process is to outlive its terminal (`nohup`), as far as can be seen. */
function ignoresHangUp(): boolean {
  try {
    const status = Deno.readTextFileSync("/proc/self/status");
    return (parseInt(/^SigIgn:\s*([0-9a-f]+)$/m.exec(status)?.[1]?.slice(-1) ?? "0", 16) & 1) === 1;
  } catch {
    return false;
  }
}
