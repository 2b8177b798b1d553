import { jsonText } from "../../core/files/json_text.ts";
import type { SearchGate } from "./search_gate.ts";
import type { SearchResults } from "./search_results.ts";
import type { SweepManifest } from "./sweep_manifest.ts";

/** `search_export.json`: the answer of a capacity search, how sure it is, and its runs. */
export function searchJson(results: SearchResults, manifest: SweepManifest): string {
  const { plan, answer, steps, objectives } = results;
  return `${
    jsonText({
      "schema_version": "1.0",
      "product": manifest.product,
      "variable": plan.variable,
      "answer": answer.answer ?? null,
      "answer_per_gpu": answer.answer === undefined || plan.gpus === undefined
        ? null
        : answer.answer / plan.gpus,
      "at_least": answer.atLeast,
      "limited_by": answer.limitedBy ?? null,
      // The capacity is not below the first, and below the second.
      "interval": answer.answer === undefined ? null : [answer.answer, answer.limit ?? null],
      "confirmed": answer.isConfirmed,
      "proven": answer.isProven,
      "objectives": objectives.map(({ gate, interval }) => ({
        ...gateObject(gate),
        "interval": interval ?? null,
      })),
      "points": steps.map(({ point, folder, figures, gates, run }) => ({
        "value": run.value,
        "met": run.met,
        "missed": run.missed,
        "conclusive": run.isConclusive,
        "longer": run.isLonger,
        "limited_by_client": run.byClient,
        "ended_early": figures.endedEarly ?? null,
        "ended_early_reason": figures.endReason ?? null,
        "folder": folder,
        "gates": gates.map(gateObject),
        "requests": {
          "sent": figures.requests.sent,
          "succeeded": figures.requests.succeeded,
          "failed": figures.requests.failed,
        },
        "measurement_error": figures.error?.verdict ?? null,
        "load": figures.load ?? null,
        "diagnosis": figures.diagnosis ?? null,
        "parameters": point.values,
      })),
      "bounds": [plan.min, plan.max],
      "precision": plan.precision,
      "is_complete": manifest.isComplete,
      "cli_command": manifest.command,
      "notes": manifest.notes,
    })
  }\n`;
}

function gateObject(gate: SearchGate): Record<string, unknown> {
  const { name, condition, found, met, doubtful, value, threshold, unit } = gate;
  const { conclusive = null, lower = null, upper = null } = gate;
  return {
    ...{ name, condition, found, met, doubtful, conclusive },
    ...{ value: value ?? null, lower, upper, threshold, unit },
  };
}
