/**
 * The executable's entry. `--version` is answered before anything else is loaded.
 */

import { writeError, writeOut } from "./cli/terminal/terminal.ts";
import { VERSION } from "./config/plan/version.ts";

if (Deno.args.length === 1 && (Deno.args[0] === "--version" || Deno.args[0] === "-V")) {
  try {
    writeOut(`${VERSION}\n`);
  } catch (error) {
    writeError(`error: ${(error as Error).message}\n`);
    Deno.exit(1);
  }
} else {
  const { runProgram } = await import("./cli/program.ts");
  Deno.exit(await runProgram(Deno.args));
}
