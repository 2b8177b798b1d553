import type { DiagnosisCode } from "../diagnosis/diagnosis.ts";
import type { ProfileReport } from "../model/profile_report.ts";
import { type ChecklistItem, publishability } from "../model/publish_checklist.ts";
import { valueOf } from "../../measurement/metrics/metric_results.ts";
import { gateOutcome } from "./gate_outcome.ts";
import { percentText } from "./number_text.ts";

/** How an answer is meant: red is kept for what is wrong, amber for what is limited or not known. */
export type Tone = "good" | "warn" | "bad" | "plain";

/** An answer in a few words. */
export interface Answer {
  readonly text: string;
  readonly tone: Tone;
}

/** Bottlenecks in a few words. */
const LIMITS: Readonly<Record<DiagnosisCode, string>> = {
  "no-result": "Not known: no request succeeded",
  "stalled": "A stall of the server",
  "rejecting": "Rejections",
  "failing": "Errors",
  "client-limited": "This client",
  "overload": "The server's capacity",
  "too-short": "Not known yet",
  "saturated-kv": "KV-cache memory",
  "prefill-pool": "Prefill instances",
  "decode-pool": "Decode instances",
  "saturated-slots": "Batch slots",
  "saturated": "The server's queue",
  "prefill-bound": "Prefill",
  "decode-bound": "Decode",
  "headroom": "Nothing, at this rate",
  "unsaturated": "Nothing, at this load",
  "unknown": "Not visible",
};

const TONES: Readonly<Record<DiagnosisCode, Tone>> = {
  "no-result": "bad",
  "stalled": "bad",
  "rejecting": "bad",
  "failing": "bad",
  "client-limited": "warn",
  "overload": "bad",
  "too-short": "warn",
  "saturated-kv": "bad",
  "prefill-pool": "bad",
  "decode-pool": "bad",
  "saturated-slots": "bad",
  "saturated": "bad",
  "prefill-bound": "warn",
  "decode-bound": "warn",
  "headroom": "good",
  "unsaturated": "good",
  "unknown": "warn",
};

/** How the diagnosis of a code is meant. */
export function diagnosisTone(code: DiagnosisCode): Tone {
  return TONES[code];
}

/** Whether the server is good enough: the outcome of the objectives. */
export function goodEnough({ gates, requests, results }: ProfileReport): Answer {
  if (gates.length === 0) {
    const share = valueOf(results, "good_request_fraction");
    if (share !== undefined) {
      return { text: `${percentText(share)} of requests meet every limit`, tone: "plain" };
    }
    return requests.succeeded === 0 && requests.failed > 0
      ? { text: "No: no request succeeded", tone: "bad" }
      : { text: "No objectives were set", tone: "plain" };
  }
  const all = gates.length === 1 ? "the objective" : `all ${gates.length} objectives`;
  const missed = gates.filter(({ met }) => !met).length;
  const open = gates.filter((gate) => gateOutcome(gate) === "inconclusive").length;
  const inconclusive = open === 0 ? "" : `, ${open} inconclusive`;
  if (missed === 0) {
    return { text: `Yes: ${all} met${inconclusive}`, tone: open === 0 ? "good" : "warn" };
  }
  const which = missed === gates.length ? all : `${missed} of ${gates.length} objectives`;
  return { text: `No: ${which} missed${inconclusive}`, tone: "bad" };
}

/** The bottleneck of the run. */
export function limit({ diagnosis }: ProfileReport): Answer {
  return diagnosis === undefined
    ? { text: "Not known: single requests are not known", tone: "plain" }
    : { text: LIMITS[diagnosis.code], tone: "plain" };
}

/** Whether the results can be published. */
export function publishable(report: ProfileReport): Answer {
  if (report.sampling === undefined) {
    return { text: "Not known: single requests are not known", tone: "plain" };
  }
  const { checklist, state, validity: { of, proven } } = publishability(report);
  const open = checklist.find(({ isMet }) => !isMet);
  switch (state) {
    case "no":
      return {
        text: open?.name === "steady state"
          ? "No: no steady state"
          : `No: ${proven} of ${of} statistics are proven`,
        tone: "bad",
      };
    case "in part":
      return { text: `In part: ${proven} of ${of} statistics`, tone: "warn" };
    case "not yet":
      return { text: `Not yet: ${open?.name ?? ""} open`, tone: "warn" };
    case "yes":
      return { text: `Yes: ${of} of ${of} statistics`, tone: "good" };
  }
}

/** Mark of an item of the checklist: open ones are wrong, doubtful or only not known. */
export function itemMark(
  { isMet, name }: ChecklistItem,
): "valid" | "suspect" | "unproven" | "invalid" {
  if (isMet) return "valid";
  if (name === "steady state") return "invalid";
  return name === "client error" || name === "errors" ? "suspect" : "unproven";
}
