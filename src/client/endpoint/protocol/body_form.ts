/** The form of a body: events, a JSON object on each line, one JSON value, or any other bytes. */
export type BodyForm = "events" | "lines" | "json" | "bytes";

const LINES = /^application\/(x-)?(ndjson|jsonl|jsonlines|json-lines|json-seq)$/;
const JSON_TYPE = /^application\/(.+\+)?json$/;

/** The form that a content type names; undefined if it names none, or there is none. */
export function bodyFormOf(contentType: string): BodyForm | undefined {
  const media = (contentType.split(";")[0] as string).trim().toLowerCase();
  if (media === "text/event-stream") return "events";
  if (LINES.test(media)) return "lines";
  return JSON_TYPE.test(media) ? "json" : undefined;
}

/** The form of a body of which nothing is known but how it begins; undefined if that says nothing. */
export function guessBodyForm(start: string): BodyForm | undefined {
  const text = start.trimStart();
  if (text.startsWith("{")) return "json";
  return /^(data|event|id|retry)?:/.test(text) ? "events" : undefined;
}
