import type { ProfileReport } from "../../model/profile_report.ts";
import { incompleteText } from "../../model/incomplete_tag.ts";
import { recomputedText } from "../../model/recomputed_tag.ts";
import { jsonText } from "../../../core/files/json_text.ts";
import { diagnosisObject, loadObject } from "./load_objects.ts";
import { measurementErrorObject } from "./measurement_error_object.ts";
import { metricObjects } from "../metric_object.ts";

/** `profile_export_aiperf_timeslices.json` */
export function slicesJson(report: ProfileReport): string {
  const incomplete = incompleteText(report.tags);
  const recomputed = recomputedText(report.tags);
  return jsonText({
    "timeslices": report.slices.map((slice) => ({
      "start_ns": slice.startNs,
      "end_ns": slice.endNs,
      ...(slice.isComplete ? {} : { "is_complete": false }),
      ...metricObjects(slice.results),
      ...measurementErrorObject(slice.measurementError),
      ...loadObject(slice.load),
      ...diagnosisObject(slice.diagnosis),
    })),
    "input_config": report.inputConfig,
    ...(incomplete === undefined ? {} : { "incomplete": incomplete }),
    ...(recomputed === undefined ? {} : { "recomputed": recomputed }),
  }) + "\n";
}
