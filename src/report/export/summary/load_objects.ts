import { finiteOrNull } from "../../../core/files/finite_or_null.ts";
import type { Diagnosis } from "../../diagnosis/diagnosis.ts";
import type { LoadReport } from "../../model/load_report.ts";

/** The key `load` of the summary; nothing where requests are not known one by one. */
export function loadObject(load: LoadReport | undefined): Record<string, unknown> {
  if (load === undefined) return {};
  const { backlog, stall } = load;
  return {
    "load": {
      "loop": load.loop,
      "offered_rate": finiteOrNull(load.offeredPerSecond),
      "served_rate": finiteOrNull(load.servedPerSecond),
      "mean_in_flight": finiteOrNull(load.meanInFlight),
      "target_in_flight": load.targetInFlight ?? null,
      "backlog_slope": backlog === undefined ? null : finiteOrNull(backlog.perSecond),
      "backlog_slope_lower": backlog === undefined ? null : finiteOrNull(backlog.lower),
      "after_last_send_share": finiteOrNull(load.afterLastStartShare),
      "stall": stall === undefined ? null : {
        "start_seconds": stall.startSeconds,
        "seconds": stall.seconds,
        "in_window": stall.isInWindow,
      },
    },
  };
}

/** The key `diagnosis`; nothing where requests are not known one by one. */
export function diagnosisObject(diagnosis: Diagnosis | undefined): Record<string, unknown> {
  if (diagnosis === undefined) return {};
  const { cause, code, evidence, text, unknown } = diagnosis;
  return {
    "diagnosis": {
      "code": code,
      "text": text,
      "cause": cause ?? null,
      "evidence": evidence.map(({ source, value, what }) => ({
        ...{ "what": what, "value": value, "source": source },
      })),
      "unknown": unknown,
      "try": diagnosis.try,
    },
  };
}
