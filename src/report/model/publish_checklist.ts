import { distributionOf } from "../../measurement/metrics/metric_results.ts";
import { serverName } from "../server_info/server_info.ts";
import type { ProfileReport } from "./profile_report.ts";
import { type RunValidity, runValidity } from "./run_validity.ts";
import { shownWindow } from "./shown_window.ts";
import { steadyResults } from "./steady_state.ts";

/** Mean latencies that a steady state should last for. */
const STEADY_LATENCIES = 3;
/** Share of valid statistics below which a run is not publishable. */
const MIN_PROVEN_SHARE = 0.3;
/** Runs from which the variance between runs is known. */
const MIN_RUNS = 3;

/** A condition of a publishable result. */
export interface ChecklistItem {
  readonly name:
    | "steady state"
    | "client error"
    | "sample size"
    | "errors"
    | "prompt reuse"
    | "token counts"
    | "repetition"
    | "hardware"
    | "engine";
  readonly isMet: boolean;
  /** Finding, or missing information, as a clause. */
  readonly text: string;
}

/** Whether the results of a run can be published. */
export interface Publishability {
  readonly state: "no" | "in part" | "not yet" | "yes";
  readonly validity: RunValidity;
  readonly checklist: readonly ChecklistItem[];
}

/** Checks a run before its results are published. */
export function publishability(report: ProfileReport): Publishability {
  const validity = runValidity(shownWindow(report));
  const checklist = checklistOf(report, validity);
  const isSteady = steadyResults(report.steady) !== undefined;
  const { of, proven } = validity;
  const state = !isSteady || proven < MIN_PROVEN_SHARE * of
    ? "no"
    : proven < of
    ? "in part"
    : checklist.every(({ isMet }) => isMet)
    ? "yes"
    : "not yet";
  return { state, validity, checklist };
}

function checklistOf(report: ProfileReport, validity: RunValidity): ChecklistItem[] {
  const { blockers } = validity;
  const clientErrors = blockers.filter((text) => text.includes("client error"));
  const samples = blockers.filter((text) => !text.includes("client error"));
  return [
    steadyItem(report),
    {
      name: "client error",
      isMet: clientErrors.length === 0,
      text: clientErrors.join("; ") || "at most 5 % on each statistic",
    },
    {
      name: "sample size",
      isMet: samples.length === 0,
      text: samples.join("; ") || "every interval is within 10 %",
    },
    errorItem(report),
    reuseItem(report),
    tokenItem(report),
    {
      name: "repetition",
      isMet: false,
      text: `one run: --num-profile-runs ${MIN_RUNS} shows the variance between runs`,
    },
    hardwareItem(report),
    engineItem(report),
  ];
}

function steadyItem({ steady }: ProfileReport): ChecklistItem {
  const name = "steady state";
  const found = steadyResults(steady);
  if (found === undefined) {
    const reason = steady !== undefined && "none" in steady ? steady.none : "not known";
    return { name, isMet: false, text: `none: ${reason}` };
  }
  const latencyMs = distributionOf(found.results, "request_latency")?.avg ?? 0;
  const latencies = found.seconds * 1000 / latencyMs;
  const length = `${Number(found.seconds.toPrecision(3))} s`;
  return latencies >= STEADY_LATENCIES
    ? { name, isMet: true, text: `${length}, ${Math.floor(latencies)} mean latencies` }
    : {
      name,
      isMet: false,
      text: `${length} are only ${latencies.toPrecision(2)} mean latencies: run longer`,
    };
}

function errorItem({ requests }: ProfileReport): ChecklistItem {
  const { failed, succeeded } = requests;
  return failed === 0
    ? { name: "errors", isMet: true, text: "none" }
    : { name: "errors", isMet: false, text: `${failed} of ${failed + succeeded} requests failed` };
}

function reuseItem({ results }: ProfileReport): ChecklistItem {
  const share = results.get("overall_usage_prompt_cache_read_pct");
  const name = "prompt reuse";
  return share === undefined || !("value" in share)
    ? { name, isMet: true, text: "no cached tokens are reported" }
    : {
      name,
      isMet: true,
      text: `${
        Number(Number(share.value).toPrecision(3))
      } % of prompt tokens were cached: state it`,
    };
}

function tokenItem({ results }: ProfileReport): ChecklistItem {
  const usage = distributionOf(results, "usage_completion_tokens")?.count ?? 0;
  const replies = distributionOf(results, "request_latency")?.count ?? 0;
  const name = "token counts";
  if (distributionOf(results, "output_sequence_length") === undefined) {
    return { name, isMet: true, text: "the API has no output tokens" };
  }
  return usage === replies
    ? { name, isMet: true, text: "every reply carries usage" }
    : { name, isMet: false, text: `${usage} of ${replies} replies carry usage` };
}

function hardwareItem({ ownConfig }: ProfileReport): ChecklistItem {
  const gpus = ownConfig["gpus"] as { readonly total?: number } | undefined;
  return gpus?.total === undefined
    ? { name: "hardware", isMet: false, text: "GPUs are not stated: --gpus N" }
    : { name: "hardware", isMet: true, text: `${gpus.total} GPUs` };
}

function engineItem({ servers }: ProfileReport): ChecklistItem {
  const names = [...new Set(servers.flatMap((server) => serverName(server) ?? []))];
  return names.length === 0
    ? { name: "engine", isMet: false, text: "the server does not report its version" }
    : { name: "engine", isMet: true, text: names.join(", ") };
}
