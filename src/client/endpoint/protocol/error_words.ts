import { isFields, stringOf } from "./json_fields.ts";

/** Fields in which servers describe a failure, the most specific one first. */
const WORDS = ["message", "msg", "detail", "error", "errors", "reason", "description", "title"];
/** Maximum number of defects that are quoted of a list. */
const MAX_DEFECTS = 10;
/** Maximum nesting of the objects in which a description is searched. */
const MAX_DEPTH = 8;

/**
 * The description of a failure in an error object: a text, an object that has one in a usual field,
 * or a list of these, as FastAPI's, pydantic's and Mistral's. A rejected field precedes its defect:
 * `stream_options.include_usage: Extra inputs are not permitted`. The rejected value itself is never
 * quoted, because it may be the prompt.
 * @returns the empty string if there is no description
 */
export function wordsOf(value: unknown, depth = 0): string {
  if (typeof value === "string") return value;
  if (depth > MAX_DEPTH) return "";
  if (Array.isArray(value)) {
    const defects = value.map((entry) => wordsOf(entry, depth + 1)).filter((text) => text !== "");
    return [...new Set(defects)].slice(0, MAX_DEFECTS).join("; ");
  }
  if (!isFields(value)) return "";
  for (const name of WORDS) {
    const words = wordsOf(value[name], depth + 1);
    if (words !== "") return `${placeOf(value["loc"])}${words}`;
  }
  return "";
}

/** The field that pydantic names as a list of keys, with a colon; empty without one. */
function placeOf(loc: unknown): string {
  if (!Array.isArray(loc)) return stringOf(loc) === "" ? "" : `${loc}: `;
  const keys = loc.filter((key) => typeof key === "string" || typeof key === "number");
  const path = keys[0] === "body" ? keys.slice(1) : keys;
  return path.length === 0 ? "" : `${path.join(".")}: `;
}
