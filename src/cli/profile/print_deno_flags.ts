import { basename, dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { isStandardInput } from "../../core/files/read_file.ts";
import type { ProfileOptions } from "../../config/options/profile/profile_types.ts";
import type { RunPlan } from "../../config/plan/run_plan.ts";
import { SYSTEM_STORES } from "../../config/plan/servers/trust.ts";
import { VERSION } from "../../config/plan/version.ts";
import { UsageError } from "../../config/options/usage_error.ts";
import { outputCandidates } from "../../run/runner/prepare_output.ts";
import { ENGINE_FLAGS } from "../../config/sandbox/engine_flags.ts";
import { ENVIRONMENT_VARIABLES } from "../../config/sandbox/environment.ts";
import { stepSummaryPath } from "../terminal/step_summary.ts";
import { freePort } from "../../run/runner/free_port.ts";
import { hubHostsOf, threadPermissions } from "../../run/runner/thread_permissions.ts";
import { PROFILE_COMMAND_OPTIONS } from "../../config/options/commands/option_tables.ts";
import { quoted, redactedCommand } from "../../config/options/redacted_command.ts";
import { pageRedactor } from "../../core/secrets/redactor.ts";

/** The option that asks for it. */
const FLAG = "--print-deno-flags";

/**
 * The command that does the same run by `deno run`, with every thread confined from the start: main
 * may read the files that options name, and reach and write what the other threads may.
 * @param args of this command line
 * @param files what else is read: the files of `--config` and of the calibration, where there are some
 * @param liveHost `host:port` at which the run is served; undefined for nowhere
 */
export async function denoCommand(
  plan: RunPlan,
  options: ProfileOptions,
  args: readonly string[],
  files: readonly (string | undefined)[],
  liveHost?: string,
): Promise<string> {
  // Permissions name a port, so the run must use the same one.
  const canaryPort = plan.canaryPort ?? freePort();
  // GPU exporters that nobody named are looked for only where main may: here it may not.
  const { gpuTelemetry } = plan;
  const named = gpuTelemetry?.endpoints.filter(({ named }) => named) ?? [];
  const asked = {
    ...plan,
    gpuTelemetry: gpuTelemetry && named.length > 0
      ? { ...gpuTelemetry, endpoints: named }
      : undefined,
  };
  const threads = [...threadPermissions(asked, `127.0.0.1:${canaryPort}`, liveHost).values()];
  const directories = await outputCandidates(plan.output);
  const { main, code } = await ownCode();
  const read = [
    ...code,
    ...[...files, ...(options.allowFiles ?? []), ...(options.caCert ?? [])],
    options.inputFile !== undefined && isStandardInput(options.inputFile)
      ? undefined
      : options.inputFile,
    ...[options.clientCert, options.clientKey],
    ...(options.gpuTelemetry ?? []).filter((value) => /\.csv$/i.test(value)),
    plan.tokenizer.kind === "file" ? plan.tokenizer.path : undefined,
    ...await datasetFiles(plan),
    ...(threads.some(({ net }) => net.some((host) => host.endsWith(":0"))) ? SYSTEM_STORES : []),
    ...threads.flatMap(({ read }) => read),
    ...directories,
  ];
  const summary = (plan.slos ?? []).length > 0 ? stepSummaryPath() : undefined;
  const write = [...threads.flatMap(({ write }) => write), directories.at(-1), summary];
  const flags = [
    "--no-prompt",
    ENGINE_FLAGS,
    list("--allow-net", [...threads.flatMap(({ net }) => net), ...hubHostsOf(plan)]),
    list("--allow-read", read),
    list("--allow-write", write.filter((path) => !directories.slice(0, -1).includes(path ?? ""))),
    "--allow-sys=setPriority,hostname",
    list("--allow-env", ENVIRONMENT_VARIABLES),
    "--ignore-env",
    "--deny-import",
  ];
  const given = [
    ...args.filter((argument) => argument !== FLAG),
    ...(plan.canaries && plan.canaryPort === undefined ? ["--canary-port", `${canaryPort}`] : []),
  ];
  const shown = pageRedactor(plan.secrets)(redactedCommand(given, PROFILE_COMMAND_OPTIONS))
    .replace(/^inferometer/, quoted(main))
    // As a word of the shell; the user puts the key in its place.
    .replace(/(^|[\s=])<redacted>(?=\s|$)/g, "$1'<redacted>'");
  // Telemetry of the runtime itself passes by all permissions.
  const telemetry = Deno.build.os === "windows" ? "" : "OTEL_DENO=false ";
  return `${telemetry}deno run ${flags.map(quoted).join(" ")} ${shown}`;
}

/** The files of a data set that is here, and what they are links to. */
async function datasetFiles({ dataset }: RunPlan): Promise<string[]> {
  const place = dataset.source === "file" ? dataset.public?.place : undefined;
  if (place?.kind !== "local") return [];
  const real = await Promise.all(place.files.map((path) => Deno.realPath(path)));
  return [...place.files, ...real];
}

/**
 * Place of the program's code; for an executable, that of the checkout in which it is run.
 * @throws {UsageError} if there is no such checkout
 */
async function ownCode(): Promise<{ main: string; code: readonly string[] }> {
  const main = fileURLToPath(Deno.mainModule);
  if (basename(main) === "main.ts") {
    const sources = dirname(main);
    return { main, code: [sources, `${dirname(sources)}/deno.json`] };
  }
  const found = await Deno.stat("src/main.ts").catch(() => undefined);
  if (found === undefined) {
    throw new UsageError(
      FLAG,
      "Permissions of an executable are built in; for a deno command, run it in a checkout of " +
        `inferometer ${VERSION}, where src/main.ts is`,
    );
  }
  return { main: "src/main.ts", code: ["src", "deno.json"] };
}

function list(flag: string, values: readonly (string | undefined)[]): string {
  const known = new Set(values.filter((value) => value !== undefined));
  const unlistable = [...known].find((value) => value.includes(","));
  if (unlistable !== undefined) {
    throw new UsageError(FLAG, `Deno takes no name with a comma in ${flag}: "${unlistable}"`);
  }
  return `${flag}=${[...known].join(",")}`;
}
