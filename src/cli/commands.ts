/** The commands of the program: one table, longer than other files because it is read as a whole. */

import type { CliCommand } from "./command_line/cli_command.ts";
import { ANALYZE_TRACE_OPTIONS } from "../config/options/commands/analyze_trace_options.ts";
import { CALIBRATE_OPTIONS } from "../config/options/commands/calibrate_options.ts";
import { COMPARE_OPTIONS, GATE_OPTIONS } from "../config/options/commands/compare_options.ts";
import { CONFIG_OPTIONS } from "../config/options/commands/config_options.ts";
import { ENDPOINTS_OPTIONS } from "../config/options/commands/endpoints_options.ts";
import { EXPORT_OPTIONS } from "../config/options/commands/export_options.ts";
import { IMPORT_OPTIONS } from "../config/options/commands/import_options.ts";
import { LAUNCH_OPTIONS } from "../config/options/commands/launch_options.ts";
import { MERGE_OPTIONS } from "../config/options/commands/merge_options.ts";
import { CORRUPTION_KINDS, MOCK_OPTIONS } from "../config/options/commands/mock_options.ts";
import { PROFILE_COMMAND_OPTIONS } from "../config/options/commands/option_tables.ts";
import { PARSE_OPTIONS } from "../config/options/parse_options.ts";
import { PLOT_OPTIONS } from "../config/options/commands/plot_options.ts";
import { RECOMPUTE_OPTIONS } from "../config/options/commands/recompute_options.ts";
import { REPORT_OPTIONS } from "../config/options/commands/report_options.ts";
import { BUNDLE_OPTIONS, RUNS_OPTIONS } from "../config/options/commands/runs_options.ts";
import { REPLAY_OPTIONS, SCRAPE_OPTIONS } from "../config/options/commands/scrape_options.ts";
import { VERSION_OPTIONS } from "../config/options/commands/version_options.ts";
import { SHELLS } from "./command_line/shells.ts";

/**
 * All commands, in the order in which help shows them.
 *
 * Started from source, the runtime reads every file that a program names in an `import` before it
 * begins, those for later too: a thousand for one command, and 50 ms. What is `as string` it leaves
 * for later; checks of types and the bundler see through that.
 */
export const COMMANDS: readonly CliCommand[] = [
  {
    name: "profile",
    description: "Benchmark a server: send requests, read replies, write results",
    details:
      "A run stops early, with partial results, if the first ten requests are all rejected (401, " +
      "403, 404, connection refused), or if the server is unreachable for ten seconds and ten " +
      "consecutive attempts.",
    table: PROFILE_COMMAND_OPTIONS,
    examples: [
      "inferometer profile --url localhost:8000 --streaming --concurrency 16",
      "inferometer profile --url localhost:8000 --streaming --request-rate 10",
    ],
    async run(command, args, warm) {
      const { profileCommand } = await import(
        "./commands/profile_command.ts" as string
      ) as typeof import("./commands/profile_command.ts");
      return await profileCommand(command, args, warm);
    },
  },
  {
    name: "launch",
    isRare: true,
    operands: "<engine>",
    completes: async () =>
      (await import(
        "./commands/launch_command.ts" as string
      ) as typeof import("./commands/launch_command.ts")).ENGINES,
    description:
      "Generate a script or manifest that starts a distributed run (Slurm, Kubernetes, MPI)",
    rule: "All options of profile are supported. Nothing is started.",
    table: LAUNCH_OPTIONS,
    handsOn: PROFILE_COMMAND_OPTIONS,
    examples: [
      "inferometer launch slurm --shards 4 --url srv:8000 --concurrency 96 | sbatch",
      "inferometer launch k8s --shards 4 --url srv:8000 --concurrency 96",
    ],
    async run(command, args) {
      const { launchCommand } = await import(
        "./commands/launch_command.ts" as string
      ) as typeof import("./commands/launch_command.ts");
      return await launchCommand(command, command.args[0] as string, args);
    },
  },
  {
    name: "report",
    operands: "<folder>",
    completes: "folder",
    description: "Regenerate the files of a run; create a report for AIPerf results",
    table: REPORT_OPTIONS,
    examples: ["inferometer report artifacts/run --open"],
    async run(command) {
      const { reportCommand } = await import(
        "./commands/report_command.ts" as string
      ) as typeof import("./commands/report_command.ts");
      return await reportCommand(command, command.args[0] as string);
    },
  },
  {
    name: "merge",
    isRare: true,
    operands: "<folder>",
    completes: "folder",
    description: "Merge the shards of a distributed run into one result",
    rule:
      "Every shard is verified: plan, version, seed, and the hash of each file. If a shard is wrong, " +
      "nothing is merged, and the error names it. The folders of the shards stay: they hold the " +
      "records of the result.",
    table: MERGE_OPTIONS,
    examples: [
      "inferometer merge artifacts/run --expect-shards 8",
      "inferometer merge artifacts/run --allow-missing",
    ],
    async run(command) {
      const { mergeCommand } = await import(
        "./commands/merge_command.ts" as string
      ) as typeof import("./commands/merge_command.ts");
      return await mergeCommand(command, command.args[0] as string);
    },
  },
  {
    name: "plot",
    operands: "<folder>",
    completes: "folder",
    description: "Export the charts of a run or a sweep as SVG or PNG",
    table: PLOT_OPTIONS,
    examples: [
      "inferometer plot artifacts/run --format png",
      "inferometer plot artifacts/sweep",
    ],
    async run(command) {
      const { plotCommand } = await import(
        "./commands/plot_command.ts" as string
      ) as typeof import("./commands/plot_command.ts");
      return await plotCommand(command, command.args[0] as string);
    },
  },
  {
    name: "export",
    isRare: true,
    operands: "<folder>",
    completes: "folder",
    description: "Send a run's results to OpenTelemetry, MLflow or Prometheus",
    table: EXPORT_OPTIONS,
    examples: [
      "inferometer export artifacts/run --mlflow-tracking-uri http://mlflow:5000",
      "inferometer export artifacts/run --textfile /var/lib/node_exporter/run.prom",
    ],
    async run(command) {
      const { exportCommand } = await import(
        "./commands/export_command.ts" as string
      ) as typeof import("./commands/export_command.ts");
      return await exportCommand(command, command.args[0] as string);
    },
  },
  {
    name: "gate",
    operands: "<folder>",
    completes: "folder",
    description: "Check a run against objectives or a baseline; exit 3 on failure",
    table: GATE_OPTIONS,
    examples: [
      'inferometer gate artifacts/my-run --slo "ttft.p99<500ms" "error_rate<0.1%"',
      "inferometer gate artifacts/new --baseline artifacts/old --max-regression 5%",
    ],
    async run(command) {
      const { gateCommand } = await import(
        "./commands/gate_command.ts" as string
      ) as typeof import("./commands/gate_command.ts");
      return await gateCommand(command, command.args[0] as string);
    },
  },
  {
    name: "compare",
    operands: "<folder...>",
    completes: "folder",
    description: "Compare runs and report statistically significant differences",
    table: COMPARE_OPTIONS,
    examples: [
      "inferometer compare artifacts/old artifacts/new",
      "inferometer compare old1 old2 new1 new2 --label old old new new",
    ],
    async run(command) {
      const { compareCommand } = await import(
        "./commands/compare_command.ts" as string
      ) as typeof import("./commands/compare_command.ts");
      return await compareCommand(command, command.args);
    },
  },
  {
    name: "runs",
    operands: "<folder>",
    completes: "folder",
    description: "List the runs in a folder; plot a metric across them",
    table: RUNS_OPTIONS,
    examples: [
      "inferometer runs artifacts --tag gpu=h100",
      "inferometer runs artifacts --metric ttft.p99 --output trend.svg",
    ],
    async run(command) {
      const { runsCommand } = await import(
        "./commands/runs_command.ts" as string
      ) as typeof import("./commands/runs_command.ts");
      return await runsCommand(command, command.args[0] as string);
    },
  },
  {
    name: "bundle",
    isRare: true,
    operands: "<folder>",
    completes: "folder",
    description: "Pack a run into one file to share, without prompts and replies",
    table: BUNDLE_OPTIONS,
    examples: [
      "inferometer bundle artifacts/run",
      "inferometer bundle artifacts/run --anonymize-hosts --output run.zip",
    ],
    async run(command) {
      const { bundleCommand } = await import(
        "./commands/bundle_command.ts" as string
      ) as typeof import("./commands/bundle_command.ts");
      return await bundleCommand(command, command.args[0] as string);
    },
  },
  {
    name: "scrape",
    operands: "<url...>",
    description: "Collect server metrics without sending load",
    table: SCRAPE_OPTIONS,
    examples: [
      "inferometer scrape localhost:8000 --duration 60s",
      "inferometer scrape node1:8002 node2:8002 --interval 1s --artifact-dir metrics",
    ],
    async run(command) {
      const { scrapeCommand } = await import(
        "./commands/scrape_command.ts" as string
      ) as typeof import("./commands/scrape_command.ts");
      return await scrapeCommand(command, command.args);
    },
  },
  {
    name: "replay",
    isRare: true,
    operands: "<file>",
    completes: "file",
    description: "Regenerate server metrics files from a recording (--record)",
    table: REPLAY_OPTIONS,
    examples: ["inferometer replay pages.jsonl --artifact-dir artifacts/replayed"],
    async run(command) {
      const { replayCommand } = await import(
        "./commands/replay_command.ts" as string
      ) as typeof import("./commands/replay_command.ts");
      return await replayCommand(command, command.args[0] as string);
    },
  },
  {
    name: "analyze-trace",
    isRare: true,
    operands: "<file>",
    completes: "file",
    description: "Summarize lengths, rates and shared prefixes of a trace",
    table: ANALYZE_TRACE_OPTIONS,
    examples: [
      "inferometer analyze-trace trace.jsonl",
      "inferometer analyze-trace trace.jsonl --output trace.json --picture trace.svg",
    ],
    async run(command) {
      const { analyzeTraceCommand } = await import(
        "./commands/analyze_trace_command.ts" as string
      ) as typeof import("./commands/analyze_trace_command.ts");
      return await analyzeTraceCommand(command, command.args[0] as string);
    },
  },
  {
    name: "parse",
    operands: "<file>",
    completes: "file",
    description: "Parse a Prometheus exposition file and print JSON (-: standard input)",
    isRare: true,
    table: PARSE_OPTIONS,
    examples: ["curl -s localhost:8000/metrics | inferometer parse - --strict"],
    async run(command) {
      const { parseCommand } = await import(
        "./commands/parse_command.ts" as string
      ) as typeof import("./commands/parse_command.ts");
      return await parseCommand(command, command.args[0] as string);
    },
  },
  {
    name: "config",
    operands: "<init|validate|expand|print> [file...]",
    async completes([action]) {
      if (action === undefined) {
        return (await import(
          "./commands/config_command.ts" as string
        ) as typeof import("./commands/config_command.ts")).CONFIG_ACTIONS;
      }
      if (action !== "init") return "file";
      return (await import(
        "./config/config_templates.ts" as string
      ) as typeof import("./config/config_templates.ts")).configTemplates().map(({ name }) => name);
    },
    description: "Create, check and print configuration files",
    rule:
      "init [template] [file] writes a template to start from. validate <file> checks a file and sends " +
      "nothing. expand <file> prints it with variables filled in, and the points of its sweep. " +
      "print prints all options in effect, and where each comes from.",
    table: { ...CONFIG_OPTIONS, ...PROFILE_COMMAND_OPTIONS },
    examples: [
      "inferometer config init concurrency_sweep sweep.yaml --model my-model",
      "inferometer config validate sweep.yaml",
      "inferometer config expand sweep.yaml --index 2 --full",
      "inferometer config print --config run.yaml --concurrency 4",
    ],
    async run(command) {
      const { configCommand } = await import(
        "./commands/config_command.ts" as string
      ) as typeof import("./commands/config_command.ts");
      return await configCommand(command);
    },
  },
  {
    name: "endpoints",
    isRare: true,
    description: "List the supported API endpoint types",
    table: ENDPOINTS_OPTIONS,
    examples: ["inferometer endpoints", "inferometer endpoints --json"],
    async run(command) {
      const { endpointsCommand } = await import(
        "./commands/endpoints_command.ts" as string
      ) as typeof import("./commands/endpoints_command.ts");
      return await endpointsCommand(command);
    },
  },
  {
    name: "schema",
    isRare: true,
    operands: "[name]",
    async completes() {
      return [
        ...(await import(
          "./commands/schema_command.ts" as string
        ) as typeof import("./commands/schema_command.ts")).ALL_SCHEMAS.keys(),
      ];
    },
    description: "Print the JSON Schemas of all files, or of one",
    examples: ["inferometer schema", "inferometer schema gate.json"],
    async run(command) {
      const { schemaCommand } = await import(
        "./commands/schema_command.ts" as string
      ) as typeof import("./commands/schema_command.ts");
      return schemaCommand(command.args[0]);
    },
  },
  {
    name: "recompute",
    isRare: true,
    operands: "<folder>",
    completes: "folder",
    description: "Recompute a run's results with different settings",
    table: RECOMPUTE_OPTIONS,
    rule: "Without changed settings, the files are identical to those of the run.",
    examples: [
      'inferometer recompute artifacts/run --goodput "ttft:100 itl:10"',
      "inferometer recompute artifacts/run --from 10 --to 60 --slice-duration 5",
      "inferometer recompute artifacts/run --format vllm",
    ],
    async run(command) {
      const { recomputeCommand } = await import(
        "./commands/recompute_command.ts" as string
      ) as typeof import("./commands/recompute_command.ts");
      return await recomputeCommand(command, command.args[0] as string);
    },
  },
  {
    name: "import",
    isRare: true,
    operands: "<file>",
    completes: "file",
    description: "Import results of AIPerf, vLLM bench, SGLang bench or GuideLLM",
    table: IMPORT_OPTIONS,
    rule: "Use the new folder with compare, runs and report.",
    examples: [
      "inferometer import openai-chat-infqps-tiny.json",
      "inferometer import benchmarks.json --from guidellm --artifact-dir guide",
    ],
    async run(command) {
      const { importCommand } = await import(
        "./commands/import_command.ts" as string
      ) as typeof import("./commands/import_command.ts");
      return await importCommand(command, command.args[0] as string);
    },
  },
  {
    name: "translate",
    isRare: true,
    operands: "<command...>",
    description: "Translate the command line of another benchmark tool",
    rule:
      "Supported: vllm bench serve, python -m sglang.bench_serving, genai-perf profile, guidellm " +
      "benchmark, guidellm run, and inference-perf with its configuration file. Nothing is run.",
    takesForeignOptions: true,
    examples: [
      "inferometer translate vllm bench serve --model m --max-concurrency 8",
      "inferometer translate inference-perf --config_file config.yml",
    ],
    async run(_command, args) {
      const { translateCommand } = await import(
        "./commands/translate_command.ts" as string
      ) as typeof import("./commands/translate_command.ts");
      return await translateCommand(args.slice(args[1] === "--" ? 2 : 1));
    },
  },
  {
    name: "calibrate",
    description: "Find how many streams this machine can measure accurately",
    rule: "Measures the embedded mock server, which records the true times, with more and more " +
      "streams. profile uses the result to choose the number of workers, and to warn before a run " +
      "that exceeds the machine. Stop other programs during the calibration.",
    table: CALIBRATE_OPTIONS,
    examples: ["inferometer calibrate", "inferometer calibrate --budget 10s --output here.json"],
    async run(command) {
      const { calibrateCommand } = await import(
        "./commands/calibrate_command.ts" as string
      ) as typeof import("./commands/calibrate_command.ts");
      return await calibrateCommand(command);
    },
  },
  {
    name: "mock",
    description: "Start a mock OpenAI-compatible server with known timing",
    rule: `Kinds of broken answers (--corrupt-above): ${CORRUPTION_KINDS.join(", ")}.`,
    table: MOCK_OPTIONS,
    examples: [
      "inferometer mock --port 8000 --ttft 50 --itl 5",
      "inferometer mock --port 8000 --prefix-cache --tool-calls 1 --truth",
    ],
    async run(command) {
      const { mockCommand } = await import(
        "./commands/mock_command.ts" as string
      ) as typeof import("./commands/mock_command.ts");
      return await mockCommand(command);
    },
  },
  {
    name: "complete",
    isRare: true,
    operands: "[shell]",
    completes: () => Promise.resolve(SHELLS),
    description: `Print a completion script: ${SHELLS.join(", ")}`,
    examples: ["source <(inferometer complete bash)"],
    async run(_command, args) {
      const { completeCommand } = await import(
        "./commands/complete_command.ts" as string
      ) as typeof import("./commands/complete_command.ts");
      return await completeCommand(args.slice(1), COMMANDS);
    },
  },
  {
    name: "version",
    isRare: true,
    description: "Print the version and build details",
    table: VERSION_OPTIONS,
    async run(command) {
      const { versionCommand } = await import(
        "./commands/version_command.ts" as string
      ) as typeof import("./commands/version_command.ts");
      return await versionCommand(command);
    },
  },
];
