/** The words of a server about a failure, wherever it put them. */

import { errorOf, isFields } from "./delta.ts";

/** The value of a JSON text; undefined if it is none. */
export function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The message of a text that reports a failure, JSON or not. */
export function errorText(text: string): string {
  const json = parsedJson(text);
  if (!isFields(json)) return text.trim();
  return errorOf(json) ?? (typeof json["message"] === "string" ? json["message"] : text.trim());
}

/** The message of a line of an event stream that is no field of an event; undefined if none. */
export function strayError(line: string): string | undefined {
  // llama.cpp before 2025 used a field of that name.
  if (line.startsWith("error:")) return errorText(line.slice(6)) || "Server reported an error";
  if (!line.startsWith("{")) return undefined;
  // Ollama writes a bare JSON line when its runner dies.
  const json = parsedJson(line);
  return isFields(json) ? errorOf(json) ?? undefined : undefined;
}

/** What a reply that is not 2xx says. */
export function statusText(
  status: number,
  reason: string,
  location: string,
  body: string,
): string {
  const json = parsedJson(body);
  const said = (isFields(json) ? errorOf(json) : null) ?? body.trim();
  const target = location === "" ? "" : `, redirects to ${location} (redirects are not followed)`;
  return `HTTP ${status}${reason === "" ? "" : ` ${reason}`}${target}` +
    (said === "" ? "" : `: ${said.slice(0, 2000)}`);
}

/** So much of a text as a message can hold. */
export function excerpt(text: string): string {
  return text.length > 200 ? `${text.slice(0, 200)}...` : text;
}
