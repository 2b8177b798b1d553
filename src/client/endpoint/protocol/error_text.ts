/** The words of a server about a failure, wherever it put them. */

import { errorOf, isFields } from "./delta.ts";

/** Deepest nesting that is read; no reply has a tenth of it. */
const MAX_DEPTH = 500;
/** Words with which servers reject a field that they do not know. */
const REJECTED = /extra|unknown|un(rec|supported|expected)|not (permitted|allowed|supported)/i;
const QUOTE = 34;
const BACKSLASH = 92;

/** Returns the value of a JSON text; undefined if it is not JSON, or is nested too deeply. */
export function parsedJson(text: string): unknown {
  if (isTooDeep(text)) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Whether a text is nested too deeply; found without parsing, which takes seconds for some. */
function isTooDeep(text: string): boolean {
  if (text.length < 2 * MAX_DEPTH) return false;
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) {
      at = closingQuote(text, at);
    } else if (code === 0x5b || code === 0x7b) {
      if (++depth > MAX_DEPTH) return true;
    } else if (code === 0x5d || code === 0x7d) {
      depth--;
    }
  }
  return false;
}

/** Where the string ends that begins at `start`. */
function closingQuote(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) return at;
    if (code === BACKSLASH) at++;
  }
  return text.length;
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

/** Returns the message of a reply whose status is not 2xx. */
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
    (said === "" ? "" : `: ${remedyOf(status, said)}${said.slice(0, 2000)}`);
}

/**
 * The option that removes or renames a default field of the body which a server rejects. It precedes
 * the server's words, which may be longer than what a terminal shows.
 */
function remedyOf(status: number, said: string): string {
  if (status < 400 || status > 499) return "";
  if (/stream_options|include_usage|continuous_usage_stats/.test(said)) {
    return "try --omit-inputs stream_options; the server said: ";
  }
  return /max_completion_tokens/.test(said) && REJECTED.test(said) &&
      !/max_completion_tokens['"` ]*instead/.test(said)
    ? "try --use-legacy-max-tokens; the server said: "
    : "";
}

/** Returns the start of a text, cut to a length that fits into a message. */
export function excerpt(text: string): string {
  return text.length > 200 ? `${text.slice(0, 200)}...` : text;
}
