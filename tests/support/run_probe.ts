/** Runs the confinement probe: as an executable where the product is one, else from its sources. */

import { fileURLToPath } from "node:url";
import { ENGINE_FLAGS } from "../../src/config/sandbox/engine_flags.ts";
import { endOf } from "./end_of.ts";
import type { CliResult } from "./run_cli.ts";

/** Path of the probe's first module, below the checkout. */
export const PROBE_MAIN = "scripts/confinement/main.ts";
/** Names the probe's executable. */
const PROBE = Deno.env.get("CONFINEMENT_PROBE");

if (Deno.env.has("INFEROMETER_BINARY") && PROBE === undefined) {
  throw new Error(
    "CONFINEMENT_PROBE must name the executable of the probe where INFEROMETER_BINARY names that of " +
      "the product: scripts/check_executable.ts makes both",
  );
}

/** Runs the probe to its end. */
export async function runProbe(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<CliResult> {
  const main = fileURLToPath(new URL(`../../${PROBE_MAIN}`, import.meta.url));
  const [command, commandArgs] = PROBE === undefined
    ? [Deno.execPath(), ["run", "--allow-all", "--quiet", ENGINE_FLAGS, main, ...args]]
    : [PROBE, [...args]];
  return await endOf(
    new Deno.Command(command, {
      ...{ args: commandArgs, env: { ...env }, stdin: "null", stdout: "piped", stderr: "piped" },
    }).spawn(),
  );
}
