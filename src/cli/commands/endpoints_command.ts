import type { Command } from "npm:commander@15.1.0";
import { ENDPOINTS_OPTIONS } from "../../config/options/commands/endpoints_options.ts";
import { optionValues } from "../../config/options/config/option_values.ts";
import { resolveOptions } from "../../config/options/resolve_options.ts";
import { endpointsJson, endpointTable } from "../../report/console/endpoint_list.ts";
import { EXIT_CODE } from "../terminal/exit_code.ts";
import { widthOf, writeOut } from "../terminal/terminal.ts";

/**
 * Runs `inferometer endpoints`: lists the kinds of API that can be measured.
 * @returns the exit code
 */
export async function endpointsCommand(command: Command): Promise<number> {
  const values = await optionValues(command, ENDPOINTS_OPTIONS);
  const { json } = resolveOptions(ENDPOINTS_OPTIONS, values);
  writeOut(json ? endpointsJson() : endpointTable(widthOf(Deno.stdout)));
  return EXIT_CODE.done;
}
