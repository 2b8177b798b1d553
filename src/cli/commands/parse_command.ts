import type { Command } from "npm:commander@15.1.0";
import { optionValues } from "../../config/options/config/option_values.ts";
import { PARSE_OPTIONS } from "../../config/options/parse_options.ts";
import { escapedControls } from "../../core/files/escaped_controls.ts";
import {
  parseExposition,
  PrometheusSyntaxError,
} from "../../telemetry/prometheus/parse_exposition.ts";
import type { MetricFamily, ParseProblem } from "../../telemetry/prometheus/exposition.ts";
import { EXIT_CODE } from "../terminal/exit_code.ts";
import { readInput } from "../operands/read_input.ts";
import { writeOut } from "../terminal/terminal.ts";

/**
 * Runs `inferometer parse`: prints what a metrics page says, as JSON.
 * @param file its path, `-` for standard input
 * @returns the exit code
 */
export async function parseCommand(command: Command, file: string): Promise<number> {
  const { strict = false, contentType } = await optionValues(command, PARSE_OPTIONS);
  const page = await readInput(file);
  const { families, errors } = parsed(page, strict, contentType);
  writeOut(`${escapedControls(JSON.stringify({ families, errors }, numberText, 2))}\n`);
  const isEmpty = families.every(({ samples }) => samples.length === 0);
  return errors.length > 0 && (strict || isEmpty) ? EXIT_CODE.failed : EXIT_CODE.done;
}

function parsed(
  page: Uint8Array,
  strict: boolean,
  contentType: string | undefined,
): { families: readonly MetricFamily[]; errors: readonly ParseProblem[] } {
  try {
    return parseExposition(page, {
      strict,
      ...(contentType === undefined ? {} : { contentType }),
    });
  } catch (error) {
    if (!(error instanceof PrometheusSyntaxError)) throw error;
    const { line, column, message } = error;
    return { families: [], errors: [{ line, column, message }] };
  }
}

/** Numbers that JSON does not have stand as the texts that metrics pages use. */
function numberText(_key: string, value: unknown): unknown {
  if (typeof value !== "number" || Number.isFinite(value)) return value;
  return Number.isNaN(value) ? "NaN" : value > 0 ? "+Inf" : "-Inf";
}
