import { USER_AGENT } from "../../../config/plan/version.ts";
import { jsonText } from "../../../core/files/json_text.ts";
import type { ExportOutcome } from "../../model/export_outcome.ts";

/** `exports.json`: what other systems got of a run. */
export function exportsJson(outcomes: readonly ExportOutcome[]): string {
  return jsonText({
    "schema_version": "1.0",
    "product": USER_AGENT,
    "exports": outcomes.map(({ system, place, sent, failed, failure, link }) => ({
      "system": system,
      "place": place,
      "complete": failure === undefined,
      "sent": sent,
      "failed": failed,
      "failure": failure ?? null,
      "link": link ?? null,
    })),
  }) + "\n";
}
