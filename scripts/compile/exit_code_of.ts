// deno-lint-ignore-file no-console
import { CompileError } from "./compile_executable.ts";

/** Does the work of a script; returns 1 and says why where the sources or the call are wrong. */
export async function exitCodeOf(work: () => Promise<void>): Promise<number> {
  try {
    await work();
    return 0;
  } catch (error) {
    if (!(error instanceof CompileError || error instanceof RangeError)) throw error;
    console.error(`error: ${error.message}`);
    return 1;
  }
}
