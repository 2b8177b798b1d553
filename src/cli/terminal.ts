/** The process' streams, as far as the command line uses them. */

const encoder = new TextEncoder();
/** Width of what is written into a pipe or a file. */
const PIPE_WIDTH = 120;

/** Writes results. A reader that has seen enough (`| head`) is no error. */
export function writeOut(text: string): void {
  writeAll(Deno.stdout, text);
}

/** Writes progress and messages. */
export function writeError(text: string): void {
  writeAll(Deno.stderr, text);
}

function writeAll(stream: typeof Deno.stdout, text: string): void {
  const bytes = encoder.encode(text);
  try {
    for (let written = 0; written < bytes.length;) {
      written += stream.writeSync(bytes.subarray(written));
    }
  } catch (error) {
    if (error instanceof Deno.errors.WouldBlock) return;
    if (!(error instanceof Deno.errors.BrokenPipe)) throw error;
  }
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

/** Whether a stream may be coloured. */
export function hasColor(stream: typeof Deno.stdout): boolean {
  return stream.isTerminal() && !Deno.noColor;
}

/** A variable of the environment; undefined also where it may not be read. */
export function variable(name: string): string | undefined {
  try {
    return Deno.env.get(name);
  } catch {
    return undefined;
  }
}

/** Read once: later, when permissions are given up, the runtime would ask the user for leave. */
const COLUMNS = Number(variable("COLUMNS"));
