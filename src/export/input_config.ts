import { redactedFields } from "../secrets/secret_fields.ts";
import { redactedHeaders } from "../secrets/secret_headers.ts";
import type { ScrapePlan } from "../plan/resolve_scrape.ts";
import type { PhasePlan, RunPlan } from "../plan/run_plan.ts";

/** The resolved settings of a run as files show them, in the shape of AIPerf's `input_config`. */
export function inputConfig(plan: RunPlan): Record<string, unknown> {
  return withoutUnset({
    "models": { "items": plan.models.map((name) => ({ "name": name })) },
    "endpoint": {
      "urls": plan.targets.map(({ redactedUrl }) => redactedUrl),
      "type": plan.endpointType,
      "streaming": plan.body.streaming,
      "transport": plan.transport,
      "connection_reuse_strategy": plan.reuse,
      "request_timeout_seconds": plan.requestTimeoutNs / 1e9,
      "headers": Object.fromEntries(redactedHeaders(plan.headers)),
      "extra_inputs": redactedFields(plan.body.extraInputs),
      "use_server_token_count": plan.useServerTokenCount,
    },
    "datasets": [datasetConfig(plan)],
    "phases": plan.phases.map(phaseConfig),
    "artifacts": {
      "dir": plan.output.directory,
      "export_level": plan.output.exportLevel,
      "slice_duration": plan.output.sliceNs === undefined ? undefined : plan.output.sliceNs / 1e9,
    },
    "slos": plan.objectives.length === 0
      ? undefined
      : Object.fromEntries(plan.objectives.map(({ tag, threshold }) => [tag, threshold])),
    "tokenizer": {
      "name": tokenizerName(plan.tokenizer),
    },
    "server_metrics": plan.serverMetrics === undefined ? { "enabled": false } : {
      "enabled": true,
      "urls": plan.serverMetrics.endpoints.map(({ redactedUrl }) => redactedUrl),
      "formats": plan.serverMetrics.output.formats,
    },
    "random_seed": plan.seed,
    "runtime": { "workers": plan.workers },
  }) as Record<string, unknown>;
}

function tokenizerName(tokenizer: RunPlan["tokenizer"]): string {
  if (tokenizer.kind === "builtin") return "builtin";
  return tokenizer.kind === "hub" ? tokenizer.name : tokenizer.name ?? tokenizer.path;
}

/** The resolved settings of a scrape without load, in the same shape. */
export function scrapeInputConfig({ metrics, durationNs }: ScrapePlan): Record<string, unknown> {
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

function datasetConfig({ dataset, samplingStrategy }: RunPlan): unknown {
  const osl = dataset.outputTokensMean === undefined
    ? undefined
    : { "mean": dataset.outputTokensMean, "stddev": dataset.outputTokensStddev };
  if (dataset.source === "file") {
    return { "name": "main", "type": "file", "path": dataset.path, "prompts": { "osl": osl } };
  }
  return {
    "name": "main",
    "type": "synthetic",
    "entries": dataset.entries,
    "sampling": samplingStrategy,
    "prompts": {
      "isl": { "mean": dataset.inputTokensMean, "stddev": dataset.inputTokensStddev },
      "osl": osl,
    },
  };
}

function phaseConfig(phase: PhasePlan): unknown {
  const { load } = phase;
  return {
    "name": phase.kind,
    "kind": phase.kind,
    "type": load.loop === "closed" ? "concurrency" : load.arrivalPattern,
    "requests": finite(phase.requestCount),
    "duration": finite(phase.durationNs / 1e9),
    "grace_period": finite(phase.graceNs / 1e9),
    "concurrency": finite(load.concurrency),
    "rate": load.loop === "open" ? load.ratePerSecond : undefined,
    "smoothness": load.loop === "open" && load.arrivalPattern === "gamma"
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
