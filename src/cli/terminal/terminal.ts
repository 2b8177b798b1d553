/** The process' streams, as far as the command line uses them. */

import { printableText } from "../../report/console/printable_text.ts";
import { environmentVariable } from "../../config/options/environment_variable.ts";

const encoder = new TextEncoder();
/** Width of what is written into a pipe or a file. */
const PIPE_WIDTH = 120;
const HELP_WIDTH = 80;
const MIN_HELP_WIDTH = 60;
const MAX_HELP_WIDTH = 100;

/** Pause before a pipe that takes nothing is tried again. */
const RETRY_MS = 1;

/** Results that cannot be written to standard output. */
export class OutputError extends Error {
  override readonly name = "OutputError";
}

/**
 * Writes results. A reader that has seen enough (`| head`) is no error.
 * @throws {OutputError} if they cannot be written
 */
export function writeOut(text: string): void {
  const bytes = encoder.encode(text);
  for (let written = 0; written < bytes.length;) {
    try {
      written += Deno.stdout.writeSync(bytes.subarray(written));
    } catch (error) {
      if (error instanceof Deno.errors.BrokenPipe) return;
      if (!(error instanceof Deno.errors.WouldBlock)) {
        throw new OutputError(`Cannot write to standard output: ${(error as Error).message}`);
      }
      // Another process has made the pipe non-blocking.
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, RETRY_MS);
    }
  }
}

/** Writes progress and messages. If nobody can read them, the run goes on. */
export function writeError(text: string): void {
  const bytes = encoder.encode(text);
  try {
    for (let written = 0; written < bytes.length;) {
      written += Deno.stderr.writeSync(bytes.subarray(written));
    }
  } catch {
    // There is no other place to report it.
  }
}

let isSilent = false;

/** Sets whether notes and warnings are written; a process may run several command lines. */
export function writeNotices(isOn: boolean): void {
  isSilent = !isOn;
}

/**
 * Writes a message on one line. It may quote a server or an input file: what could disturb the
 * terminal is taken out.
 */
export function writeMessage(kind: "note" | "warning" | "error", text: string): void {
  if (isSilent && kind !== "error") return;
  writeError(`${kind}: ${printableText(text, Infinity)}\n`);
}

/** Columns of the terminal that a stream ends in, or a width that suits files. */
export function widthOf(stream: typeof Deno.stdout): number {
  if (!stream.isTerminal()) return PIPE_WIDTH;
  try {
    return Deno.consoleSize().columns || COLUMNS || PIPE_WIDTH;
  } catch {
    return COLUMNS || PIPE_WIDTH;
  }
}

/** Columns of help: what is longer is hard to read. */
export function helpWidth(): number {
  const width = Deno.stdout.isTerminal() ? widthOf(Deno.stdout) : HELP_WIDTH;
  return Math.min(MAX_HELP_WIDTH, Math.max(MIN_HELP_WIDTH, width));
}

/**
 * Whether a stream ends in a terminal that takes control codes: `TERM` names none that does where
 * it is `dumb`, as in editors and in logs of CI, or missing. Windows has no such variable.
 */
export function takesControlCodes(stream: typeof Deno.stdout): boolean {
  const isPlain = TERM === "dumb" || (TERM === "" && Deno.build.os !== "windows");
  return stream.isTerminal() && !isPlain;
}

/** Whether a stream may be coloured. */
export function hasColor(stream: typeof Deno.stdout): boolean {
  return takesControlCodes(stream) && !Deno.noColor;
}

/** Read once: later, when permissions are given up, the runtime would ask the user for leave. */
const COLUMNS = Number(environmentVariable("COLUMNS"));
const TERM = environmentVariable("TERM") ?? "";
