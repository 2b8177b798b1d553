/**
 * The executable's entry. `--version` is answered before anything else is loaded.
 */

import { VERSION } from "./plan/version.ts";

if (Deno.args.length === 1 && (Deno.args[0] === "--version" || Deno.args[0] === "-V")) {
  Deno.stdout.writeSync(new TextEncoder().encode(`${VERSION}\n`));
} else {
  const { runProgram } = await import("./cli/program.ts");
  Deno.exit(await runProgram(Deno.args));
}
