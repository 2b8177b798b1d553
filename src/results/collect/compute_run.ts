import { modelResults } from "../../measurement/metrics/model_results.ts";
import {
  distributionOf,
  figuresOf,
  type MetricResults,
  valueOf,
} from "../../measurement/metrics/metric_results.ts";
import type { FoundAhead } from "../../measurement/metrics/found_ahead.ts";
import { computeResults } from "../../measurement/metrics/compute_results.ts";
import { sessionBounds } from "../../measurement/own_error/session_bounds.ts";
import { type DelaysByKind, delaysByKind } from "../../measurement/own_error/delays_by_kind.ts";
import type { ErrorCircumstances } from "../../measurement/own_error/error_reasons.ts";
import { explainedError } from "../../measurement/own_error/explained_error.ts";
import { sessionSampling } from "../../measurement/sampling/session_sampling.ts";
import { windowSampling } from "../../measurement/sampling/window_sampling.ts";
import {
  loadWithin,
  type SteadyWindow,
  steadyWindow,
} from "../../measurement/steady/steady_window.ts";
import { collectGarbage } from "../../core/thread/collect_garbage.ts";
import { LARGE_RUN } from "./large_run.ts";
import { firstStartNs, loadReportOf } from "./load_report_of.ts";
import { offeredLoadOf } from "./offered_load_of.ts";
import type { RunFacts, RunSummary } from "./run_manifest.ts";
import type { RunRecords } from "./run_records.ts";
import { steadyStateOf } from "./steady_state_of.ts";

/** Instead of the steady state of a part of a run that was chosen with recompute. */
const CHOSEN_WINDOW: SteadyWindow = { none: "--from or --to selected this part of the run" };

/** Computes what a large run needs much memory for, and gives the memory back between the steps. */
export function computeRun(
  records: RunRecords,
  facts: RunFacts,
  summary: RunSummary,
  known: { readonly networkRttMs: number | undefined; readonly ahead: FoundAhead | undefined },
) {
  const { plan, baseEpochNs } = facts;
  const { profiling } = records;
  const offered = offeredLoadOf(facts, summary, profiling.hasTurns);
  const { within } = summary;
  const { window, facts: loadFacts } = within === undefined
    ? steadyWindow(profiling, offered)
    : { window: CHOSEN_WINDOW, facts: loadWithin(profiling, offered, within) };
  const hasSteady = !("none" in window);
  // Slices and the steady state need the gaps between chunks again.
  const isLast = plan.output.sliceNs === undefined && !hasSteady;
  const isLarge = profiling.length >= LARGE_RUN;
  const tidy = (): void => {
    profiling.release();
    if (isLarge) collectGarbage();
  };
  tidy();
  const results = computeResults(profiling, baseEpochNs, {
    ...{ isLast, ...known },
    ...(within === undefined ? {} : { inside: within }),
  });
  const also = new Set(plan.slos?.map(({ metric }) => metric));
  const whole = within ?? { startNs: firstStartNs(profiling), endNs: profiling.lastEndNs() };
  const sampling = new Map([
    ...windowSampling({ ...{ table: profiling, results, also }, ...whole }),
    ...sessionSampling(profiling, results, whole),
  ]);
  const models = modelResults(profiling, plan.models, valueOf(results, "benchmark_duration"));
  const gaps = distributionOf(results, "inter_chunk_latency");
  const itlDialects = profiling.itlDialects?.results(gaps);
  const delays = delaysByKind(records.canaries, {
    isByFetch: plan.transport === "fetch",
    areCanariesOther: plan.canaryTransport !== undefined,
    itlMs: distributionOf(results, "inter_token_latency")?.p50,
  });
  tidy();
  const circumstances = circumstancesOf(delays, results, facts, summary);
  const requestError = explainedError(
    {
      ...{ table: profiling, delays, results, hasCanaries: plan.canaries },
      hasFixedWindow: within !== undefined,
    },
    circumstances,
  );
  const measurementError = requestError && {
    ...requestError,
    metrics: new Map([...requestError.metrics, ...sessionBounds(profiling)]),
  };
  tidy();
  const steady = steadyStateOf(profiling, window, {
    ...{ baseEpochNs, circumstances, hasCanaries: plan.canaries, also },
    networkRttMs: known.networkRttMs,
  });
  tidy();
  const load = loadReportOf(profiling, results, {
    ...{ facts: loadFacts, loop: offered.loop, starvedShare: delays.lost.share },
    window: within ?? (hasSteady ? window : undefined),
  });
  return { results, models, itlDialects, circumstances, measurementError, sampling, steady, load };
}

/** What the client's error can come from, in the whole profiling phase. */
function circumstancesOf(
  delays: DelaysByKind,
  results: MetricResults,
  { machine, plan, processes = 1 }: RunFacts,
  { cpuCores, endNs, startNs }: RunSummary,
): Omit<ErrorCircumstances, "verdict"> {
  const streams = results.get("effective_concurrency");
  return {
    ...{ delays, window: { startNs, endNs }, originNs: startNs, cpuCores },
    ...{ workers: plan.workers, processes },
    streams: streams === undefined ? NaN : Number(figuresOf(streams).avg),
    cores: machine.cores,
  };
}
