import {
  type ClientReport,
  type LoadClient,
  type LoadOrder,
  MODEL,
  PROMPT_TOKENS,
} from "./load_client.ts";
import type { CommandLine } from "./measured_process.ts";

/** Names of the peers, as targets refer to them. */
export const SGLANG_BENCH = "sglang-bench";
export const AIPERF = "AIPerf";

/** Loads the extension that the first argument names, and hands it the other ones. */
const RUN_EXTENSION = `
import importlib.machinery, importlib.util, sys
loader = importlib.machinery.ExtensionFileLoader("_bench", sys.argv[1])
module = importlib.util.module_from_spec(importlib.util.spec_from_loader("_bench", loader))
loader.exec_module(module)
module.run_argv(["sglang-bench"] + sys.argv[2:])`;

/** The Rust client of SGLang, from `sglang/_bench.so` of the peers' folder. */
export class SglangBench implements LoadClient {
  readonly name = SGLANG_BENCH;
  readonly #peersFolder: string;

  constructor(peersFolder: string) {
    this.#peersFolder = peersFolder;
  }

  commandLine(order: LoadOrder, url: string, folder: string): CommandLine {
    const tokenizer = `${this.#peersFolder}/sglang`;
    return {
      command: "python3",
      args: [
        ...["-c", RUN_EXTENSION, `${this.#peersFolder}/sglang/_bench.so`],
        ...["--backend", "vllm-chat", "--base-url", url, "--model", MODEL],
        ...["--tokenizer", tokenizer, "--dataset-name", "random-ids", "--random-range-ratio", "1"],
        ...["--random-input-len", `${PROMPT_TOKENS}`, "--random-output-len", `${order.tokens}`],
        ...["--num-prompts", `${order.requests}`, "--max-concurrency", `${order.concurrency}`],
        ...["--warmup-requests", "0", "--disable-tqdm", "--output-file", `${folder}/result.jsonl`],
        // With one thread it is at its best here: a fifth less CPU, and no slower.
        ...["--worker-threads", "1"],
      ],
    };
  }

  async report(folder: string): Promise<ClientReport> {
    const json = JSON.parse(await Deno.readTextFile(`${folder}/result.jsonl`));
    return {
      // It reports successes alone; the load target knows of the others.
      failed: 0,
      ttftP50Ms: json["median_ttft_ms"],
      ttftP99Ms: json["p99_ttft_ms"],
    };
  }
}

/** AIPerf, from `venv` of the peers' folder. */
export class AiPerf implements LoadClient {
  readonly name = AIPERF;
  readonly #peersFolder: string;
  readonly #options: readonly string[];

  /** @param options added to each command line */
  constructor(peersFolder: string, options: readonly string[] = []) {
    this.#peersFolder = peersFolder;
    this.#options = options;
  }

  commandLine(order: LoadOrder, url: string, folder: string): CommandLine {
    return {
      command: `${this.#peersFolder}/venv/bin/aiperf`,
      args: [
        ...["profile", "--url", url, "--model", MODEL, "--endpoint-type", "chat", "--streaming"],
        ...["--concurrency", `${order.concurrency}`, "--request-count", `${order.requests}`],
        ...["--isl", `${PROMPT_TOKENS}`, "--osl", `${order.tokens}`, "--tokenizer", "builtin"],
        ...["--ui", "none", "--artifact-dir", folder, ...this.#options],
        ...(order.serverMetrics ? [] : ["--no-server-metrics"]),
      ],
      env: {
        HF_HUB_OFFLINE: "1",
        TIKTOKEN_CACHE_DIR: `${this.#peersFolder}/tiktoken`,
        // It leaves files behind.
        TMPDIR: folder,
      },
      cwd: folder,
    };
  }

  async report(folder: string): Promise<ClientReport> {
    const json = JSON.parse(await Deno.readTextFile(`${folder}/profile_export_aiperf.json`));
    return {
      failed: json["error_request_count"]?.["avg"] ?? 0,
      ttftP50Ms: json["time_to_first_token"]["p50"],
      ttftP99Ms: json["time_to_first_token"]["p99"],
    };
  }
}

/** The peers that are installed in the folder. */
export async function installedPeers(peersFolder: string): Promise<LoadClient[]> {
  const peers: LoadClient[] = [];
  if (await exists(`${peersFolder}/sglang/_bench.so`)) peers.push(new SglangBench(peersFolder));
  if (await exists(`${peersFolder}/venv/bin/aiperf`)) peers.push(new AiPerf(peersFolder));
  return peers;
}

/** Whether there is such a file. */
export async function exists(path: string): Promise<boolean> {
  try {
    await Deno.stat(path);
    return true;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}
