// deno-lint-ignore-file no-console
/**
 * Benchmarks real servers with several instances and checks what the program reports of their caches:
 * every value equals the arithmetic on the servers' own counters before and after the run.
 *
 *     deno run -A scripts/real_caches.ts [--tools DIR] [--target DIR] [dynamo-agg] [dynamo-disagg]
 *       [vllm-pair]
 *
 * `--tools` holds the scripts that install and start the servers, `--target` is where these are
 * installed. Where a script is missing or a server does not start, the check reports why it is skipped.
 */

import { parseArgs } from "node:util";
import assert from "node:assert/strict";
import { ENGINE_FLAGS } from "../src/config/sandbox/engine_flags.ts";
import { freePortAt } from "../src/run/runner/free_port.ts";
import { endProcesses } from "./process/end_processes.ts";
import { programOutput } from "./process/program_output.ts";
import { assertValues } from "./servers/assert_values.ts";
import { assertVllmPair } from "./servers/assert_vllm_pair.ts";
import { increase, type PageCounter, readCounters } from "./servers/page_counters.ts";
import { untilAnswered } from "./servers/until_answered.ts";

const MAIN = new URL("../src/main.ts", import.meta.url).pathname;
const REQUESTS = 40;
const START_MS = 15 * 60_000;
const RUN_MS = 10 * 60_000;
const PROXY_MS = 30_000;

/** Counters over a run, of the front and of the workers. */
interface Grown {
  readonly front: PageCounter;
  readonly workers: readonly PageCounter[];
}

/** A deployment that is started and checked. */
interface Deployment {
  /** Script below the folder of tools. */
  readonly script: string;
  /** Starts it; returns process ids, the URL for requests, and the metrics endpoints of workers. */
  start(script: string, target: string): Promise<Started>;
  /** Hits and prompt tokens of the prefix caches that do the work. */
  hits(grown: Grown): readonly [hits: number, tokens: number];
  /** Checks more of `server_truth`. */
  check?(truth: unknown, grown: Grown): void;
  /** Pools that the program must find. */
  readonly pools: readonly string[];
}

interface Started {
  readonly pids: readonly number[];
  readonly url: string;
  readonly workers: readonly string[];
}

/**
 * Counters of Dynamo's frontend, and a label of theirs: what engines report to it, or in a pair, where
 * they report nothing, what the router found at the selected workers.
 */
const COUNTERS = {
  agg: ["dynamo_frontend_cached_tokens_sum", "dynamo_frontend_input_sequence_tokens_sum"],
  disagg: [
    "dynamo_component_router_kv_selected_cached_prefix_tokens_total",
    "dynamo_component_router_input_sequence_tokens_sum",
    'phase="prefill"',
  ],
} as const;

const DEPLOYMENTS: Readonly<Record<string, Deployment>> = {
  "dynamo-agg": dynamo("agg"),
  "dynamo-disagg": dynamo("disagg"),
  "vllm-pair": {
    script: "vllm-cpu/start_pd.sh",
    pools: ["prefill", "decode"],
    async start(script, target) {
      const folder = script.slice(0, script.lastIndexOf("/"));
      if (!await Deno.stat(`${target}/installed`).then(() => true, () => false)) {
        // Installs; the server that it starts is not needed.
        const first = await run("bash", [`${folder}/start_spec.sh`, target, `${port()}`]);
        endProcesses(/^(\d+(?: \d+)*) http/m.exec(first)?.[1]?.split(" ").map(Number) ?? []);
      }
      const [prefill, decode] = [port(), port()];
      const output = await run("bash", [script, target, `${prefill}`, `${decode}`]);
      // The instances take ports of their own while they start.
      const front = port();
      const [prefillUrl, decodeUrl] = [prefill, decode].map((own) => `http://127.0.0.1:${own}`);
      const proxy = new Deno.Command("python3", {
        args: [`${folder}/../common/pd_proxy.py`, `${front}`, `${prefillUrl}`, `${decodeUrl}`],
        ...{ stdin: "null", stdout: "null", stderr: "null" },
      }).spawn();
      const pids = /^(\d+) (\d+) http/m.exec(output)?.slice(1).map(Number) ?? [];
      try {
        await untilAnswered(`http://127.0.0.1:${front}/health`, PROXY_MS);
      } catch (error) {
        endProcesses([proxy.pid]);
        throw error;
      }
      return {
        pids: [...pids, proxy.pid],
        url: `http://127.0.0.1:${front}`,
        workers: [`${prefillUrl}/metrics`, `${decodeUrl}/metrics`],
      };
    },
    hits: ({ workers: [prefill] }) => [
      prefill?.("vllm:prefix_cache_hits_total") ?? NaN,
      prefill?.("vllm:prefix_cache_queries_total") ?? NaN,
    ],
    check(truth, { workers: [prefill, decode] }) {
      assert.ok(prefill !== undefined && decode !== undefined);
      assertVllmPair(truth as Parameters<typeof assertVllmPair>[0], prefill, decode);
    },
  },
};

function dynamo(mode: keyof typeof COUNTERS): Deployment {
  return {
    script: "dynamo/start_topology.sh",
    pools: mode === "agg" ? [] : ["prefill", "decode"],
    async start(script, target) {
      const [front, system] = [port(), port()];
      const output = await run("bash", [script, target, mode, `${front}`, `${system}`]);
      const [, ids = "", url = ""] = /^(\d+(?: \d+)*) (http:\/\/\S+)/m.exec(output) ?? [];
      return {
        ...{ pids: ids.split(" ").map(Number), url },
        workers: [system, system + 1].map((own) => `http://127.0.0.1:${own}/metrics`),
      };
    },
    hits: ({ front }) => {
      const [hits, tokens, ...labels] = COUNTERS[mode];
      return [front(hits, ...labels), front(tokens, ...labels)];
    },
  };
}

const { values, positionals } = parseArgs({
  args: Deno.args,
  options: {
    tools: { type: "string", default: "../shared/tools/servers" },
    target: { type: "string" },
  },
  allowPositionals: true,
});
let [passed, failed] = [0, 0];
for (const name of positionals.length > 0 ? positionals : Object.keys(DEPLOYMENTS)) {
  const deployment = DEPLOYMENTS[name];
  if (deployment === undefined) throw new TypeError(`No deployment ${JSON.stringify(name)}`);
  const target = values.target ?? await Deno.makeTempDir({ prefix: "inferometer-caches-" });
  try {
    const reason = await check(deployment, target);
    if (reason === undefined) passed++;
    console.log(`${name}: ${reason === undefined ? "ok" : `skipped: ${reason}`}`);
  } catch (error) {
    failed++;
    console.log(`${name}: ${(error as Error).message}`);
  } finally {
    if (values.target === undefined) await Deno.remove(target, { recursive: true });
  }
}
console.log(`${failed === 0 ? "ok" : "FAILED"} | ${passed} passed | ${failed} failed`);
Deno.exit(failed === 0 ? 0 : 1);

/** Checks a deployment; returns why it cannot be started here. */
async function check(deployment: Deployment, target: string): Promise<string | undefined> {
  const script = `${values.tools}/${deployment.script}`;
  if (!await Deno.stat(script).then(() => true, () => false)) return `there is no ${script}`;
  let started: Started;
  // Ids of an earlier run may be those of other processes now.
  for await (const { name } of Deno.readDir(target)) {
    if (name.endsWith(".pid")) await Deno.remove(`${target}/${name}`);
  }
  try {
    started = await deployment.start(script, target);
  } catch (error) {
    // One instance of several may have started.
    endProcesses(await pidsIn(target));
    const lines = (error as Error).message.trim().split("\n");
    return lines.findLast((line) => line.includes("Error")) ?? lines.at(-1) ?? "it does not start";
  }
  try {
    await compare(deployment, started, target);
    return undefined;
  } finally {
    endProcesses(started.pids);
  }
}

async function compare(
  { check, hits, pools }: Deployment,
  { url, workers }: Started,
  target: string,
): Promise<void> {
  const urls = [`${url}/metrics`, ...workers];
  const before = await Promise.all(urls.map(readCounters));
  const artifacts = await Deno.makeTempDir({ dir: target, prefix: "run-" });
  const screen = await run(Deno.execPath(), [
    ...["run", "--allow-all", "--quiet", ENGINE_FLAGS, MAIN, "profile", "--url", url],
    ...["--streaming", "--concurrency", "3", "--request-count", `${REQUESTS}`, "--model", "tiny"],
    ...["--isl", "150", "--osl", "12", "--num-prefix-prompts", "3"],
    ...["--prefix-prompt-length", "160", "--tokenizer", `${target}/tiny/tokenizer.json`],
    ...["--server-metrics", ...workers, "--artifact-dir", artifacts],
  ], RUN_MS);
  const after = await Promise.all(urls.map(readCounters));
  const [front, ...ofWorkers] = after.map((page, at) => increase(before[at] as PageCounter, page));
  const grown: Grown = { front: front as PageCounter, workers: ofWorkers };
  const [found, tokens] = hits(grown);
  const json = JSON.parse(await Deno.readTextFile(`${artifacts}/profile_export_aiperf.json`));
  const { cache, pools: known } = json.server_truth;
  assert.ok(tokens > 0, "the servers counted no prompt");
  assertValues(cache, { "hit_rate": found / tokens });
  assert.ok(cache.hit_rate <= cache.ideal_hit_rate + 0.02, `more hits than ideal: ${screen}`);
  const misses = Object.values<number | null>(cache.misses).reduce(
    (sum: number, one) => sum + (one ?? 0),
    0,
  );
  assert.ok(
    Math.abs(misses + found - tokens) <= 0.02 * tokens,
    `${misses} missed and ${found} cached tokens are not ${tokens}`,
  );
  check?.(json.server_truth, grown);
  const present = ["prefill", "decode"].filter((pool) => known[pool] !== null);
  assert.deepEqual(present, pools);
  assert.doesNotMatch(screen, /other clients|other client/);
  const rows: readonly { readonly quantity: string; client: number; server: number }[] =
    json.server_reconciliation;
  const requests = rows.find(({ quantity }) => quantity === "requests");
  assert.deepEqual([requests?.client, requests?.server], [REQUESTS, REQUESTS]);
}

function run(command: string, args: readonly string[], timeoutMs = START_MS): Promise<string> {
  return programOutput(command, [...args], { timeoutMs });
}

/** Process ids that the scripts have written down. */
async function pidsIn(target: string): Promise<number[]> {
  const pids: number[] = [];
  for await (const { name } of Deno.readDir(target)) {
    if (name.endsWith(".pid")) pids.push(Number(await Deno.readTextFile(`${target}/${name}`)));
  }
  return pids.filter((pid) => pid > 0);
}

function port(): number {
  return freePortAt("127.0.0.1");
}
