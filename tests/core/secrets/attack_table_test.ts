import assert from "node:assert/strict";
import { Command } from "commander";
import { addOptions } from "../../../src/cli/command_line/build_command.ts";
import { dryRunText } from "../../../src/cli/profile/dry_run.ts";
import { denoCommand } from "../../../src/cli/profile/print_deno_flags.ts";
import { PayloadTableBuilder } from "../../../src/load/dataset/payloads/payload_table_builder.ts";
import { configuredType } from "../../../src/client/endpoint/endpoint_types.ts";
import { inputConfig } from "../../../src/report/export/summary/input_config.ts";
import { inputsJson } from "../../../src/report/export/requests/inputs_json.ts";
import { writeRawRecordLine } from "../../../src/report/export/requests/raw_record_json.ts";
import { JsonBytes } from "../../../src/report/export/json_bytes.ts";
import { RecordLines } from "../../../src/report/export/requests/record_lines.ts";
import { recordingLine } from "../../../src/report/export/server_metrics/recording.ts";
import type { FullRecord } from "../../../src/measurement/metrics/full_record.ts";
import { optionValues } from "../../../src/config/options/config/option_values.ts";
import { PROFILE_COMMAND_OPTIONS } from "../../../src/config/options/commands/option_tables.ts";
import type { ProfileOptions } from "../../../src/config/options/profile/profile_types.ts";
import { redactedCommand } from "../../../src/config/options/redacted_command.ts";
import { resolvePlan } from "../../../src/config/plan/resolve/resolve_plan.ts";
import type { RunPlan } from "../../../src/config/plan/run_plan.ts";
import { redactor } from "../../../src/core/secrets/redactor.ts";
import { redactedHeaders } from "../../../src/core/secrets/secret_headers.ts";
import { recordWith } from "../../support/records.ts";
import { BASE_EPOCH_NS } from "../../support/reports.ts";
import { type Attack, ATTACKS, disguises } from "./attack_table.ts";

const encoder = new TextEncoder();

/** The plan of a command line as the program makes it, and the command line as files have it. */
async function planOf(
  args: readonly string[],
): Promise<{ plan: RunPlan; options: ProfileOptions }> {
  const given = args.some((word) => /^--url/.test(word)) ? args : [...args, "--url", "127.0.0.1:1"];
  const command = addOptions(new Command().exitOverride(), PROFILE_COMMAND_OPTIONS);
  command.parse([...given], { from: "user" });
  const options: Record<string, unknown> = {
    model: "m",
    ...await optionValues(command, PROFILE_COMMAND_OPTIONS),
  };
  const plan = await resolvePlan(options as ProfileOptions, {
    cores: 2,
    secrets: typeof options["liveToken"] === "string" ? [options["liveToken"]] : [],
    cliCommand: redactedCommand(["profile", ...args], PROFILE_COMMAND_OPTIONS),
    findModel: () => Promise.reject(new Error("The model is named")),
  });
  return { plan, options: options as ProfileOptions };
}

/** Everything that files and the terminal say of a plan, and of a server that repeats `echo`. */
async function outputsOf(
  { plan, options }: { plan: RunPlan; options: ProfileOptions },
  args: readonly string[],
  echo: string,
): Promise<Map<string, string>> {
  const redact = redactor(plan.secrets);
  const builder = new PayloadTableBuilder();
  const content = { texts: ["a prompt"], images: [], outputTokens: 5, extra: {} };
  const { body: format, buildBody } = configuredType(plan);
  const segment = builder.addSegment(
    format.encode(buildBody(content, { ...plan.body, model: "m" })),
  );
  builder.addEntry([segment], { inputTokens: 2, outputTokens: 5, images: 0 });
  const payloads = builder.finish(0);
  const record = {
    baseEpochNs: BASE_EPOCH_NS,
    payloads,
    targets: plan.targets,
    models: plan.models,
    metrics: [],
    objectives: [],
    blockTokens: 16,
    chunkGaps: true,
    httpTrace: true,
    phaseIndex: { warmup: 0, profiling: 0 },
  };
  const full: FullRecord = {
    record: recordWith({ entry: 0, error: "http_status", status: 401 }),
    requestId: "11111111-2222-4333-8444-555555555555",
    finishReason: redact(echo),
    error: redact(`HTTP 401: ${echo}`),
    rawReply: {
      headers: [["content-type", "text/event-stream"]],
      body: encoder.encode(`: ${echo}\n\nevent: ${echo}\ndata: {"a":"${echo}"}\n\n`),
      readEnds: [[1e6, 1]],
    },
  };
  const whole = {
    ...full,
    rawReply: {
      headers: [["content-type", `text/plain; a=${echo}`]] as const,
      body: encoder.encode(`{"error":"${echo}"}`),
      readEnds: [[1e6, 1]] as const,
    },
  };
  const lines = new RecordLines(record);
  const request = {
    payloads,
    format,
    headers: Object.fromEntries(redactedHeaders(plan.headers)),
    redact,
  };
  const page = { sentNs: 1, firstByteNs: 2, latencyNs: 3 } as Parameters<typeof recordingLine>[1];
  return new Map([
    ["input_config", JSON.stringify(inputConfig(plan))],
    ["cli_command", plan.cliCommand],
    ["dry run", dryRunText(plan, 200)],
    ["print-deno-flags", await denoCommand(plan, options, args, [])],
    ["inputs.json", [...inputsJson(payloads, format, redact)].join("")],
    ["records", textOf((out) => lines.write(out, full, new Float64Array(0)))],
    ["raw records", textOf((out) => writeRawRecordLine(out, full, lines, request))],
    ["raw record of a body", textOf((out) => writeRawRecordLine(out, whole, lines, request))],
    ["recording", recordingLine("http://h/", page, "text/plain", redact(echo), BASE_EPOCH_NS)],
  ]);
}

function textOf(write: (out: JsonBytes) => void): string {
  const out = new JsonBytes();
  write(out);
  return new TextDecoder().decode(out.view);
}

function assertHidden(outputs: ReadonlyMap<string, string>, text: string, what: string): void {
  for (const [name, output] of outputs) {
    const at = output.toLowerCase().indexOf(text.toLowerCase());
    assert.ok(at < 0, `${name}: ${what}: ...${output.slice(Math.max(0, at - 60), at + 90)}...`);
  }
}

/** That JSON is still JSON, whatever was taken out of it. */
function assertReadable(outputs: ReadonlyMap<string, string>): void {
  for (const name of ["input_config", "inputs.json", "records", "raw records", "recording"]) {
    JSON.parse(outputs.get(name) as string);
  }
}

async function checkShown({ args, hidden, shown }: Attack): Promise<void> {
  const known = await planOf(args);
  const outputs = await outputsOf(known, args, hidden.join(" "));
  assertReadable(outputs);
  for (const text of hidden) assertHidden(outputs, text, text);
  for (const text of shown) {
    const command = outputs.get("cli_command") as string;
    assert.ok(command.includes(text), `${text} is not shown: ${command}`);
  }
}

async function checkEchoes({ args, hidden }: Attack): Promise<void> {
  const known = await planOf(args);
  for (const secret of hidden.filter((secret) => !/^\d+$/.test(secret))) {
    for (const [how, text] of Object.entries(disguises(secret))) {
      const outputs = await outputsOf(known, args, `Wrong key (${text}), try again`);
      // What shows of a cut text is what could be guessed of it.
      assertHidden(outputs, text.replace(/(\.\.\.|\*{4})$/, ""), `${secret} ${how}`);
      assert.ok(outputs.get("records")?.includes("try again"), "the rest is told");
    }
  }
}

Deno.test("no output shows a secret, and every one shows what is none", async (t) => {
  for (const attack of ATTACKS) {
    await t.step(`${attack.where}: ${attack.args.join(" ")}`, () => checkShown(attack));
  }
});

Deno.test("no output shows what a server repeats of a secret, however it writes it", async (t) => {
  for (const attack of ATTACKS.filter(({ hidden }) => hidden.length > 0)) {
    await t.step(`${attack.where}: ${attack.args.join(" ")}`, () => checkEchoes(attack));
  }
});
