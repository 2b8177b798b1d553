import { pageRedactor, redactor } from "../../core/secrets/redactor.ts";
import { DistantTokenizer } from "../../load/dataset/tokenizers/distant_tokenizer.ts";
import type { Tokenizer } from "../../load/dataset/tokenizers/tokenizer.ts";
import { buildTokenizer } from "../../load/dataset/tokenizers/tokenizer_source.ts";
import type { RecordTable } from "../../measurement/metrics/record_table.ts";
import type { FileSink } from "../../report/export/file_sink.ts";
import type { PatternTester } from "../../measurement/answers/patterns/pattern_tester.ts";
import { DistantPatterns } from "../../measurement/answers/patterns/distant_patterns.ts";
import { inputConfig } from "../../report/export/summary/input_config.ts";
import type { ScrapeMessage } from "../../telemetry/scrape/messages.ts";
import type { MetricsResults } from "../server_metrics/metrics_results.ts";
import type { GpuCollector } from "./gpu_telemetry.ts";
import type { ToResultsWorker } from "./messages.ts";
import type { RecordWatch } from "./record_watch.ts";
import { ReplyExpectation } from "./reply_expectation.ts";
import { ReplyVerdicts } from "./reply_verdicts.ts";
import { RunFolderWriter } from "./run_folder_writer.ts";
import type { RunFacts } from "./run_manifest.ts";

type Init = Extract<ToResultsWorker, { type: "init" }>;

/** Any will do. */
const FIRST_TEXT = "text";

/** Code that only some runs need, and what is made with it before the run begins. */
interface Loaded {
  readonly tokenizer: Tokenizer | undefined;
  readonly expectation: ReplyExpectation | undefined;
  readonly metrics: typeof MetricsResults | undefined;
  readonly gpus: typeof GpuCollector | undefined;
  readonly watch: typeof RecordWatch | undefined;
  readonly verdicts: ReplyVerdicts;
}

/** Makes what a run's results are made with; what a run does not need is not loaded. */
export class ResultsParts {
  readonly #init: Init;
  readonly #sink: FileSink;
  readonly #loaded: Loaded;

  /** @param sink of the artifact folder */
  static async load(init: Init, sink: FileSink): Promise<ResultsParts> {
    const { plan, scrapes, gpuScrapes } = init;
    const tokenizer = init.tokenizer.kind === "thread"
      ? new DistantTokenizer(init.tokenizer)
      : await buildTokenizer(init.tokenizer);
    // What it looks texts up in is made at its first one: not at the load's, whose tokens would be read
    // late where cores are few.
    tokenizer?.count(FIRST_TEXT);
    return new ResultsParts(init, sink, {
      tokenizer,
      expectation: await ReplyExpectation.create(plan.expectation),
      metrics: scrapes && (await import("../server_metrics/metrics_results.ts")).MetricsResults,
      gpus: gpuScrapes && (await import("./gpu_telemetry.ts")).GpuCollector,
      watch: plan.abortOnSlo === true ? (await import("./record_watch.ts")).RecordWatch : undefined,
      verdicts: await loadVerdicts(init),
    });
  }

  private constructor(init: Init, sink: FileSink, loaded: Loaded) {
    this.#init = init;
    this.#sink = sink;
    this.#loaded = loaded;
  }

  /** Counts tokens; undefined if the server's counts are used. */
  get tokenizer(): Tokenizer | undefined {
    return this.#loaded.tokenizer;
  }

  /** Checks the answers of requests. */
  get verdicts(): ReplyVerdicts {
    return this.#loaded.verdicts;
  }

  /** undefined if every valid reply will do. */
  get expectation(): ReplyExpectation | undefined {
    return this.#loaded.expectation;
  }

  /** Writes the run folder; undefined if no records are kept. */
  runFolder(facts: RunFacts, onFailure: (message: string) => void): RunFolderWriter | undefined {
    const { plan } = this.#init;
    if (!plan.output.keepRecords) return undefined;
    const redactPage = pageRedactor(plan.secrets);
    return new RunFolderWriter(this.#sink, { facts, redactPage, onFailure });
  }

  /** Takes in the servers' metrics; undefined where they are not collected. */
  serverMetrics(
    onScrape: (message: ScrapeMessage) => void,
    onFailure: (message: string) => void,
  ): MetricsResults | undefined {
    const { plan, scrapes, baseEpochNs, machine } = this.#init;
    const { metrics: Metrics } = this.#loaded;
    if (plan.serverMetrics === undefined || scrapes === undefined || Metrics === undefined) {
      return undefined;
    }
    return new Metrics({
      plan: plan.serverMetrics,
      benchmarkId: plan.benchmarkId,
      prefix: plan.output.prefix,
      sink: this.#sink,
      scrapes,
      baseEpochNs,
      hostname: machine.hostname,
      onScrape,
      secrets: plan.secrets,
      inputConfig: inputConfig(plan),
      models: plan.models,
      tags: plan.tags,
      onFailure,
    });
  }

  /** Takes in what exporters say of GPUs; undefined where nobody asks them. */
  gpuCollector(onScrape: (message: ScrapeMessage) => void): GpuCollector | undefined {
    const { plan, gpuScrapes } = this.#init;
    const { gpus: Collector } = this.#loaded;
    if (plan.gpuTelemetry === undefined || gpuScrapes === undefined || Collector === undefined) {
      return undefined;
    }
    return new Collector(plan.gpuTelemetry, gpuScrapes, {
      redact: redactor(plan.secrets),
      redactPage: pageRedactor(plan.secrets),
      scratch: this.#sink,
      onScrape,
    });
  }

  /** Looks whether the objectives can still be met; undefined where nobody asked. */
  recordWatch(startNs: number, profiling: RecordTable): RecordWatch | undefined {
    const { watch: Watch } = this.#loaded;
    return Watch && new Watch(this.#init.plan, startNs, profiling);
  }
}

/** The means to check answers, as far as requests of the run may need them. */
async function loadVerdicts({ isPaged, patterns, payloads, plan }: Init): Promise<ReplyVerdicts> {
  const tester = patterns && new DistantPatterns(patterns);
  let compiled: PatternTester | undefined;
  if (plan.verify?.answers) {
    const { CompiledPatterns } = await import(
      "../../measurement/answers/structured/compiled_patterns.ts"
    );
    compiled = await CompiledPatterns.load(tester);
  }
  // Pages may have what the first one has not.
  if (payloads.constraints === undefined && isPaged !== true) return new ReplyVerdicts(compiled);
  const { ConstraintChecker } = await import(
    "../../measurement/answers/structured/constraint_checker.ts"
  );
  return new ReplyVerdicts(compiled, await ConstraintChecker.load(tester));
}
