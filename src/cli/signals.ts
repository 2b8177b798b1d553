import { EXIT_CODE } from "./exit_code.ts";
import { writeError } from "./terminal.ts";

/** Signals that asked the run to end. */
export interface CaughtSignals {
  /** Aborted by the first signal. */
  readonly signal: AbortSignal;
  /** What the process should exit with because of a signal; undefined if none came. */
  readonly exitCode: number | undefined;
}

/**
 * Catches SIGINT and SIGTERM. The first asks for an orderly end, the second ends the process at
 * once.
 * @param message written when the first one comes
 */
export function catchSignals(message = ""): CaughtSignals {
  const controller = new AbortController();
  let exitCode: number | undefined;
  const onSignal = (code: number) => {
    if (exitCode !== undefined) Deno.exit(code);
    exitCode = code;
    writeError(message);
    controller.abort();
  };
  Deno.addSignalListener("SIGINT", () => onSignal(EXIT_CODE.interrupted));
  if (Deno.build.os !== "windows") {
    Deno.addSignalListener("SIGTERM", () => onSignal(EXIT_CODE.terminated));
  }
  return {
    signal: controller.signal,
    get exitCode() {
      return exitCode;
    },
  };
}
