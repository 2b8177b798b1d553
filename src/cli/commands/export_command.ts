import type { Command } from "npm:commander@15.1.0";
import { EXPORT_OPTIONS } from "../../config/options/commands/export_options.ts";
import { optionValues } from "../../config/options/config/option_values.ts";
import { resolveOptions } from "../../config/options/resolve_options.ts";
import { UsageError } from "../../config/options/usage_error.ts";
import { resolveSystems } from "../../config/plan/servers/resolve_systems.ts";
import { readCaCerts } from "../../config/plan/servers/trust.ts";
import { exportRun } from "../../run/runner/export_run.ts";
import { exportLine, exportWarning } from "../../run/runner/systems_client.ts";
import { dropPermissions } from "../../config/sandbox/permissions.ts";
import { redactor } from "../../core/secrets/redactor.ts";
import { printableText } from "../../report/console/printable_text.ts";
import { EXIT_CODE } from "../terminal/exit_code.ts";
import { namedRun } from "../operands/named_run.ts";
import { writeMessage, writeOut } from "../terminal/terminal.ts";

/**
 * Runs `inferometer export`: what `inferometer profile` sends when a run is over, of a run that lies
 * in a folder.
 * @param operand that folder
 * @returns the exit code
 */
export async function exportCommand(command: Command, operand: string): Promise<number> {
  const settings = resolveOptions(EXPORT_OPTIONS, await optionValues(command, EXPORT_OPTIONS));
  const { plan, secrets, notices } = await resolveSystems(
    settings,
    await readCaCerts(settings.caCert ?? []),
  );
  if (plan === undefined) {
    throw new UsageError("--otlp", "Name where to: --textfile, --otlp or --mlflow-tracking-uri");
  }
  const { folder, run } = await namedRun(operand);
  if (run === undefined) {
    throw new UsageError(
      undefined,
      `${folder} was not written by this program: nothing of it is sent`,
    );
  }
  for (const notice of notices) writeMessage("warning", notice);
  const outcomes = await exportRun(run, plan, {
    directory: await Deno.realPath(folder),
    secrets,
    onThreadsStarted: dropPermissions,
  });
  const redact = redactor(secrets);
  let code: number = EXIT_CODE.done;
  for (const outcome of outcomes) {
    const warning = exportWarning(outcome);
    if (warning === undefined) {
      writeOut(`${printableText(redact(exportLine(outcome)), Infinity)}\n`);
    } else {
      code = EXIT_CODE.failed;
      writeMessage("error", printableText(redact(warning), Infinity));
    }
  }
  return code;
}
