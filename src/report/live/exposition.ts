/**
 * State of a run as Prometheus text, format 0.0.4. Times are in seconds, shares from 0 to 1.
 * Counters cover the active phase and begin at zero with it, which Prometheus treats as a restart;
 * the label `phase` separates warm-up and profiling.
 */

import { tagLabels } from "../model/tag_labels.ts";
import type { LiveHistogram, LiveModel } from "./live_model.ts";

type Labels = Readonly<Record<string, string | number>>;
type Sample = readonly [labels: Labels, value: number];

/** The text. */
export function exposition(model: LiveModel): string {
  const own: Labels = { phase: model.phase };
  return [
    family("info", "gauge", "The run", [[{
      benchmark_id: model.benchmarkId,
      model: model.model,
      target: model.targets.join(","),
      version: model.version,
      ...tagLabels(model.tags),
    }, 1]]),
    family("phase_elapsed_seconds", "gauge", "Time since the phase began", [[
      own,
      model.elapsedSeconds,
    ]]),
    ...requestFamilies(model, own),
    ...loadFamilies(model),
    ...latencyFamilies(model, own),
    ...clientFamilies(model),
  ].join("");
}

/** Returns the outcomes of the phase's requests, whose labels are `own`. */
function requestFamilies(model: LiveModel, own: Labels): string[] {
  const { results } = model;
  const objectives = results.objectives.map(({ tag, threshold, metShare }): Sample => [
    { ...own, metric: tag, threshold },
    metShare,
  ]);
  return [
    family("requests_sent_total", "counter", "Requests that were begun", [[own, model.sent]]),
    family("requests_total", "counter", "Requests that have ended, by outcome", [
      [{ ...own, outcome: "succeeded" }, model.succeeded],
      [{ ...own, outcome: "failed" }, model.failed],
      [{ ...own, outcome: "cancelled" }, model.cancelled],
    ]),
    family(
      "errors_total",
      "counter",
      "Failed requests with processed records, by kind",
      Object.entries(results.errorKinds).map(([kind, count]): Sample => [{ ...own, kind }, count]),
    ),
    family("good_requests_total", "counter", "Evaluated requests that meet every objective", [[
      own,
      // Without objectives there is nothing to wait for.
      results.objectives.length === 0 ? model.succeeded : results.good,
    ]]),
    family(
      "judged_requests_total",
      "counter",
      "Valid requests evaluated against the objectives so far",
      [[own, results.objectives.length === 0 ? model.succeeded : results.valid]],
    ),
    family(
      "objective_met_ratio",
      "gauge",
      "Share of the valid requests that meet an objective",
      objectives,
    ),
    family("output_tokens_total", "counter", "Output tokens, those of running streams included", [
      [own, model.outputTokens],
    ]),
    family("content_chunks_total", "counter", "Content chunks that were read", [[
      own,
      model.contentChunks,
    ]]),
  ];
}

/** Returns the current load and its target. */
function loadFamilies({ inFlight, queued, load, sessions }: LiveModel): string[] {
  return [
    family("requests_in_flight", "gauge", "Requests in flight", [[{}, inFlight]]),
    ...(sessions === undefined ? [] : [
      family("sessions_in_progress", "gauge", "Sessions of several requests in progress", [[
        {},
        sessions.inProgress,
      ]]),
    ]),
    family("requests_queued", "gauge", "Arrivals that wait for a slot", [[{}, queued]]),
    family("concurrency_limit", "gauge", "Concurrency limit currently in effect", [[
      {},
      load.concurrency,
    ]]),
    family("request_rate_target", "gauge", "Target request rate currently in effect", [[
      {},
      load.ratePerSecond,
    ]]),
    family("load_paused", "gauge", "1 while the load is paused by hand", [[
      {},
      load.isPaused ? 1 : 0,
    ]]),
    family("load_changes_total", "counter", "Changes of the load by hand, marks included", [[
      {},
      load.changes.length,
    ]]),
  ];
}

function latencyFamilies({ results }: LiveModel, own: Labels): string[] {
  return [
    histogram("time_to_first_token_seconds", "Time to first token", own, results.ttft.histogram),
    histogram(
      "inter_token_latency_seconds",
      "Inter token latency, the mean of each request",
      own,
      results.itl.histogram,
    ),
    histogram("request_latency_seconds", "Request latency", own, results.latency.histogram),
    histogram(
      "canary_delay_seconds",
      "Delay between the arrival of a canary and its read (client read delay)",
      own,
      results.canaries.histogram,
    ),
  ];
}

/** The load workers and this process. */
function clientFamilies({ workers, cpuSeconds, stolenShare }: LiveModel): string[] {
  return [
    family("worker_requests_in_flight", "gauge", "Requests in flight per load worker", [
      ...workers.map(({ number, inFlight }): Sample => [{ worker: number }, inFlight]),
    ]),
    family("worker_up", "gauge", "0 for a load worker that died", [
      ...workers.map(({ number, isAlive }): Sample => [{ worker: number }, isAlive ? 1 : 0]),
    ]),
    family("process_cpu_seconds_total", "counter", "CPU time of this process", [[
      {},
      cpuSeconds,
    ]]),
    family("cpu_stolen_ratio", "gauge", "CPU steal: fraction of CPU time taken by the hypervisor", [
      [
        {},
        stolenShare,
      ],
    ]),
  ];
}

/** A family; samples that are no numbers are left out, and a family without samples, too. */
function family(
  name: string,
  type: "counter" | "gauge",
  help: string,
  samples: readonly Sample[],
): string {
  const known = samples.filter(([, value]) => !Number.isNaN(value));
  if (known.length === 0) return "";
  return head(name, type, help) +
    known.map(([labels, value]) => sample(`inferometer_${name}`, labels, value)).join("");
}

function histogram(
  name: string,
  help: string,
  labels: Labels,
  { bounds, counts, sum }: LiveHistogram,
): string {
  let total = 0;
  const buckets = counts.map((count, at) => {
    total += count;
    const le = at < bounds.length ? String(bounds[at]) : "+Inf";
    return sample(`inferometer_${name}_bucket`, { ...labels, le }, total);
  });
  return head(name, "histogram", help) + buckets.join("") +
    sample(`inferometer_${name}_sum`, labels, sum) +
    sample(`inferometer_${name}_count`, labels, total);
}

function head(name: string, type: string, help: string): string {
  return `# HELP inferometer_${name} ${help}\n# TYPE inferometer_${name} ${type}\n`;
}

function sample(name: string, labels: Labels, value: number): string {
  const pairs = Object.entries(labels).map(([label, text]) =>
    `${label}="${escaped(String(text))}"`
  );
  const set = pairs.length > 0 ? `{${pairs.join(",")}}` : "";
  return `${name}${set} ${value === Infinity ? "+Inf" : value}\n`;
}

function escaped(text: string): string {
  return text.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n");
}
