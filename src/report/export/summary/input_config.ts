import { redactor } from "../../../core/secrets/redactor.ts";
import { redactedFields } from "../../../core/secrets/secret_fields.ts";
import { redactedHeaders } from "../../../core/secrets/secret_headers.ts";
import type { ScrapeRunPlan } from "../../../config/plan/scrape_run_plan.ts";
import type { ModelSelectionPlan } from "../../../config/plan/model_selection_plan.ts";
import type { PromptsPlan } from "../../../config/plan/prompts_plan.ts";
import type { PhasePlan, RampPlan, RunPlan } from "../../../config/plan/run_plan.ts";

/**
 * The resolved settings of a run as files show them: AIPerf's `input_config`, which its readers
 * take with no other key and no other value. What it has no name for is in {@linkcode ownConfig}.
 */
export function inputConfig(plan: RunPlan): Record<string, unknown> {
  const { body, output, serverMetrics } = plan;
  return withoutUnset({
    "models": {
      "items": plan.models.map((name, at) => ({
        "name": name,
        "weight": plan.modelSelection?.weights?.[at],
      })),
      ...(plan.modelSelection === undefined ? {} : modelStrategy(plan.modelSelection)),
    },
    "endpoint": {
      "urls": plan.targets.map(({ redactedUrl }) => redactedUrl),
      "type": plan.endpointType,
      "timeout": plan.requestTimeoutNs / 1e9,
      "streaming": body.streaming,
      "connection_reuse": plan.reuse,
      "use_legacy_max_tokens": body.legacyMaxTokens,
      "use_server_token_count": plan.useServerTokenCount,
      "headers": Object.fromEntries(redactedHeaders(plan.headers)),
      "extra": redactedFields({ ...redactedSettings(plan), ...body.extraInputs }),
    },
    "datasets": [datasetConfig(plan)],
    "phases": plan.phases.map(phaseConfig),
    "artifacts": {
      "dir": output.directory,
      "prefix": output.prefix,
      "records": output.exportLevel === "summary" ? false : ["jsonl"],
      "raw": output.exportLevel === "raw",
      "trace": output.exportHttpTrace,
      "slice_duration": output.sliceNs === undefined ? undefined : output.sliceNs / 1e9,
    },
    "slos": plan.objectives.length === 0
      ? undefined
      : Object.fromEntries(plan.objectives.map(({ tag, threshold }) => [tag, threshold])),
    "tokenizer": {
      "name": tokenizerName(plan.tokenizer),
    },
    "server_metrics": serverMetrics === undefined ? { "enabled": false } : {
      "enabled": true,
      "urls": serverMetrics.endpoints.map(({ redactedUrl }) => redactedUrl),
      "formats": serverMetrics.output.formats,
    },
    "runtime": { "workers": plan.workers },
  }) as Record<string, unknown>;
}

/** Returns the settings of a run's endpoint type, such as a template, without keys in it. */
function redactedSettings({ endpointSettings = {}, secrets }: RunPlan): Record<string, string> {
  const redact = redactor(secrets);
  return Object.fromEntries(
    Object.entries(endpointSettings).map(([name, text]) => [name, redact(text)]),
  );
}

function tokenizerName(tokenizer: RunPlan["tokenizer"]): string {
  if (tokenizer.kind === "builtin") return "builtin";
  return tokenizer.kind === "hub" ? tokenizer.name : tokenizer.name ?? tokenizer.path;
}

/** The resolved settings that AIPerf has no name for. */
export function ownConfig(plan: RunPlan): Record<string, unknown> {
  const { transport, body, costPerHour, dataset, gpus, turnDelays, sessionHeader } = plan;
  const { expectation, stallTimeoutNs, waitOn429 = false } = plan;
  const { turns, prompts } = dataset.source === "synthetic" ? dataset : {};
  return withoutUnset({
    "transport": transport,
    "stall_timeout": stallTimeoutNs && stallTimeoutNs / 1e9,
    "model_selection": plan.modelSelection?.strategy,
    "omitted_inputs": plan.omittedInputs,
    "per_chunk_usage": body.perChunkUsage,
    "cost_per_hour": costPerHour,
    "gpus": gpus,
    "prefix_hit_rate": plan.prefixHitRate,
    "session_turns": turns && {
      "mean": turns.mean,
      "stddev": turns.stddev,
      "delay_mean_ms": turns.delayMeanMs,
      "delay_stddev_ms": turns.delayStddevMs,
      "delay_ratio": turns.delayRatio,
    },
    "max_turn_delay": turnDelays && finite(turnDelays.maxMs / 1000),
    "ignored_trace_delays": turnDelays?.ignored,
    "session_header": sessionHeader,
    "system_prompt": plan.systemPrompt,
    "cache_bust": plan.cacheBust,
    "apply_chat_template": plan.appliesChatTemplate,
    "input_tokens_range": prompts?.range?.input,
    "output_tokens_range": prompts?.range?.output,
    ...(waitOn429 ? { "on_429": "wait" } : {}),
    ...(expectation === undefined ? {} : {
      "expect": { "regex": expectation.pattern, "min_tokens": expectation.minTokens || undefined },
    }),
    ...loadShapes(plan.phases),
  }) as Record<string, unknown>;
}

/** AIPerf knows no choice by the conversation. */
function modelStrategy({ strategy }: ModelSelectionPlan): Record<string, unknown> {
  return strategy === "sticky" ? {} : { "strategy": strategy };
}

/** How the load of each phase comes and goes, where it does not stay the same. */
function loadShapes(phases: readonly PhasePlan[]): Record<string, unknown> {
  const shapes = phases.map((phase) => [phase.kind, loadShape(phase)] as const)
    .filter(([, shape]) => Object.values(shape).some((value) => value !== undefined));
  return shapes.length === 0 ? {} : { "load_shape": Object.fromEntries(shapes) };
}

function loadShape({ load, prefill, cancellation }: PhasePlan): Record<string, unknown> {
  const open = load.loop === "open" ? load : undefined;
  return {
    "concurrency_ramp": rampObject(load.concurrencyRamp),
    "rate_ramp": rampObject(open?.rateRamp),
    "rate_series": open?.rateSeries?.map(({ seconds, ratePerSecond }) => ({
      "time_s": seconds,
      "qps": ratePerSecond,
    })),
    "users": open?.users,
    "prefill_concurrency": prefill?.limit,
    "prefill_ramp": rampObject(prefill?.ramp),
    "cancellation": cancellation &&
      { "rate": cancellation.share * 100, "delay": cancellation.delayNs / 1e9 },
  };
}

function rampObject(ramp: RampPlan | undefined): unknown {
  if (ramp === undefined) return undefined;
  return {
    "duration": ramp.durationNs / 1e9,
    "shape": ramp.shape,
    "steps": ramp.shape === "steps" ? ramp.steps : undefined,
  };
}

/** The resolved settings of a scrape without load, in the same shape. */
export function scrapeInputConfig({ metrics, durationNs }: ScrapeRunPlan): Record<string, unknown> {
  const { sliceNs } = metrics.output;
  return {
    "server_metrics": {
      "enabled": true,
      "urls": metrics.endpoints.map(({ redactedUrl }) => redactedUrl),
      "formats": metrics.output.formats,
      "interval": metrics.intervalNs / 1e9,
    },
    "duration": Number.isFinite(durationNs) ? durationNs / 1e9 : null,
    "artifacts": { "slice_duration": sliceNs === undefined ? null : sliceNs / 1e9 },
  };
}

function datasetConfig(plan: RunPlan): unknown {
  const { dataset, samplingStrategy, seed } = plan;
  const osl = dataset.outputTokensMean === undefined
    ? undefined
    : { "mean": dataset.outputTokensMean, "stddev": dataset.outputTokensStddev };
  if (dataset.source === "file" && dataset.public !== undefined) {
    const { name, subset, filters, entries } = dataset.public;
    return {
      "name": "main",
      "type": "public",
      "dataset": name,
      "hf_subset": subset,
      "filters": filters.length > 0 ? Object.fromEntries(filters) : undefined,
      "entries": entries,
      "sampling": samplingStrategy,
      "random_seed": seed,
      "osl": osl,
    };
  }
  if (dataset.source === "file") {
    return {
      "name": "main",
      "type": "file",
      "path": dataset.path,
      "sampling": samplingStrategy,
      "random_seed": seed,
      "osl": osl,
    };
  }
  return {
    "name": "main",
    "type": "synthetic",
    "entries": dataset.entries,
    "sampling": samplingStrategy,
    "random_seed": seed,
    "prompts": {
      "isl": { "mean": dataset.inputTokensMean, "stddev": dataset.inputTokensStddev },
      "osl": osl,
      ...promptsConfig(dataset.prompts),
      "cache_bust": plan.cacheBust === undefined
        ? undefined
        : { "target": plan.cacheBust.replaceAll("-", "_") },
    },
    "prefix_prompts": prefixConfig(dataset.prompts),
  };
}

function promptsConfig(prompts: PromptsPlan = {}): Record<string, unknown> {
  const { mixture, corpus, textsPerRequest } = prompts;
  return {
    "sequence_distribution": mixture?.map((share) => ({
      "isl": { "mean": share.inputTokens, "stddev": share.inputStddev },
      "osl": { "mean": share.outputTokens, "stddev": share.outputStddev },
      "probability": share.percent,
    })),
    "corpus": corpus,
    "batch_size": textsPerRequest,
  };
}

function prefixConfig(prompts: PromptsPlan = {}): unknown {
  const { prefixes, sharedSystemTokens, userContextTokens } = prompts;
  const config = {
    "pool_size": prefixes?.count,
    "length": prefixes?.tokens,
    "shared_system_length": sharedSystemTokens,
    "user_context_length": userContextTokens,
  };
  return Object.values(config).every((value) => value === undefined) ? undefined : config;
}

function phaseConfig(phase: PhasePlan): unknown {
  const { load } = phase;
  return {
    "name": phase.kind,
    "kind": phase.kind,
    "type": load.loop === "closed"
      ? "concurrency"
      : load.isSchedule
      ? "fixed_schedule"
      : load.arrivalPattern,
    "requests": finite(phase.requestCount),
    "sessions": phase.sessionCount,
    "duration": finite(phase.durationNs / 1e9),
    // Without a duration there is nothing that it follows.
    "grace_period": Number.isFinite(phase.durationNs) ? finite(phase.graceNs / 1e9) : undefined,
    "concurrency": finite(load.concurrency),
    "rate": load.loop === "open" && !load.isSchedule ? load.ratePerSecond : undefined,
    "smoothness": load.loop === "open" && !load.isSchedule && load.arrivalPattern === "gamma"
      ? load.smoothness
      : undefined,
  };
}

function finite(value: number): number | undefined {
  return Number.isFinite(value) ? value : undefined;
}

function withoutUnset(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}
