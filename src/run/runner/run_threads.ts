import { sendsSample } from "../../config/plan/verify_plan.ts";
import { MainClock } from "../../core/thread/run_clock.ts";
import { ControlBlock } from "../../load/worker/control_block.ts";
import { CanaryClient } from "./canary_client.ts";
import { LiveClient } from "./live_client.ts";
import { LOAD_MODULES } from "./load_modules.ts";
import { LoadPool } from "./load_pool.ts";
import { LoadSteering } from "./load_steering.ts";
import { MachineTimes } from "./machine_times.ts";
import { NetworkClient } from "./network_client.ts";
import type { PageFeeder } from "./page_feeder.ts";
import type { PatternClient } from "./pattern_client.ts";
import { PhaseStarts } from "./phase_starts.ts";
import { RendezvousClient } from "./rendezvous_client.ts";
import { ResultsClient, type ResultsHooks } from "./results_client.ts";
import type { RunContext } from "./run_context.ts";
import { RunWatch } from "./run_watch.ts";
import { ScrapeClient } from "./scrape_client.ts";
import { ServerInquiry } from "./server_inquiry.ts";
import { StolenTimeWatch } from "./stolen_time_watch.ts";
import { SystemsClient } from "./systems_client.ts";
import { VerifyClient } from "./verify_client.ts";
import type { TokenizerClient } from "./tokenizer_client.ts";

/** The threads of a run, and what main watches while they work. */
export class RunThreads {
  readonly clock = new MainClock();
  readonly control = new ControlBlock();
  readonly results: ResultsClient;
  readonly steering: LoadSteering;
  readonly canaries: CanaryClient | undefined;
  readonly pool: LoadPool;
  /** undefined where no server metrics are asked for. */
  readonly scraper: ScrapeClient | undefined;
  /** undefined where no exporter of GPU metrics is known. */
  readonly gpuScraper: ScrapeClient | undefined;
  readonly starts: PhaseStarts;
  readonly network: NetworkClient | undefined;
  /** Sends the sample of --verify; undefined without it. */
  readonly verify: VerifyClient | undefined;
  readonly inquiry: ServerInquiry;
  readonly systems: SystemsClient | undefined;
  readonly stolenTime: StolenTimeWatch;
  readonly live: LiveClient | undefined;
  /** undefined where nobody watches. */
  readonly watch: RunWatch | undefined;
  /** Reads the input file while it is sent; undefined where it was read before. */
  feeder: PageFeeder | undefined;
  /** Counts the tokens of replies; undefined where the results thread does. */
  counting: TokenizerClient | undefined;
  /** Tests replies against foreign patterns; undefined where there are none. */
  patterns: PatternClient | undefined;
  readonly #machineTimes = MachineTimes.open();
  readonly #isOwnResults: boolean;

  /**
   * Starts the threads.
   * @throws {MissingPermissionError} if this process does not have what a thread is to get
   */
  constructor(context: RunContext) {
    const { plan, hooks, interrupt, notes } = context;
    const { clock, control } = this;
    const tell = (text: string): void => notes.tell(text);
    const warn = (text: string): void => notes.warn(text);
    this.#isOwnResults = hooks.results === undefined;
    this.results = resultsOf(context);
    this.steering = new LoadSteering(
      control,
      clock,
      plan.workers,
      (change) => this.results.loadChanged(change),
    );
    // What is missing altogether is said before what is missing for canaries.
    let warnOfCanaries = (text: string): void => void early.push(text);
    const early: string[] = [];
    this.canaries = CanaryClient.start(
      plan,
      (text) => warnOfCanaries(text),
      hooks.threads,
    );
    this.pool = new LoadPool(
      plan,
      control,
      clock,
      hooks.modules ?? LOAD_MODULES,
      (worker, reason) => warn(lossNote(worker, reason)),
      this.canaries,
      undefined,
      hooks.threads,
    );
    warnOfCanaries = warn;
    early.forEach(warn);
    this.scraper = plan.serverMetrics &&
      new ScrapeClient(plan.serverMetrics, tell, warn, hooks.threads);
    const barrier = RendezvousClient.start(plan, interrupt, warn);
    this.starts = new PhaseStarts(plan, clock, interrupt, notes, barrier);
    this.gpuScraper = plan.gpuTelemetry && new ScrapeClient(plan.gpuTelemetry, tell, warn);
    this.network = plan.networkLatency?.kind === "probe"
      ? new NetworkClient(plan, plan.networkLatency, warn)
      : undefined;
    this.verify = sendsSample(plan) ? new VerifyClient(plan, warn) : undefined;
    this.inquiry = ServerInquiry.begin(plan, interrupt);
    const { directory } = plan.output;
    this.systems = plan.systems && new SystemsClient(plan.systems, directory, plan.secrets);
    this.stolenTime = new StolenTimeWatch(this.#machineTimes, clock);
    const live = hooks.live && new LiveClient(hooks.live, warn);
    this.live = live;
    if (hooks.onLive === undefined && live === undefined) return;
    const { results, steering, pool } = this;
    this.watch = new RunWatch(
      { plan, control, clock, results, steering, lost: () => pool.lost },
      (model) => {
        hooks.onLive?.(model);
        live?.show(model);
      },
    );
    notes.watch = this.watch;
  }

  /** Ends the threads that are of no use when everything is measured, or leaves them to the next run. */
  async closeMeasuring(): Promise<void> {
    this.pool.close();
    this.scraper?.close();
    this.gpuScraper?.close();
    this.network?.close();
    await this.canaries?.close();
  }

  /** Ends all threads but one of results that was there before. */
  async close(): Promise<void> {
    this.inquiry.abandon();
    this.verify?.close();
    await this.starts.close();
    await this.feeder?.close();
    this.systems?.close();
    this.watch?.close();
    this.stolenTime.end();
    this.#machineTimes?.close();
    await this.live?.close();
    await this.closeMeasuring();
    this.counting?.close();
    this.patterns?.close();
    if (this.#isOwnResults) this.results.close();
  }
}

function resultsOf({ plan, hooks, notes }: RunContext): ResultsClient {
  const { output, serverMetrics } = plan;
  const resultsHooks: ResultsHooks = {
    onWarning: (text) => notes.warn(text),
    onWriting: (files) => notes.stage(`writing ${files} ${files === 1 ? "file" : "files"}`),
  };
  return hooks.results?.reuse(resultsHooks) ??
    new ResultsClient(output.directory, serverMetrics?.recordingPath, resultsHooks);
}

/** @param worker below zero for the pacer */
function lossNote(worker: number, reason: string): string {
  return worker < 0
    ? `The scheduler thread died; no further requests are sent: ${reason}`
    : `Load worker ${worker} died; its requests count as failed: ${reason}`;
}
