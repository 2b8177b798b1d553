import { END_REASON_NAMES } from "../../../core/run_end/end_reason.ts";
import type { JsonSchema } from "./json_schema.ts";

/** The code of why a run did not do all that was planned. */
export const END_REASON: JsonSchema = {
  "description": "Code of the reason why the run ended early; null if it completed",
  "enum": [...END_REASON_NAMES, null],
};
