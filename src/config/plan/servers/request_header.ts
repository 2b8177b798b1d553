import { UsageError } from "../../options/usage_error.ts";

/**
 * Reads headers: `Name: value`, several with commas between, or a JSON object.
 * @param option where they came from
 * @param allowed names in lower case that the caller handles, though the client sets them itself
 * @throws {UsageError} if it is no header, or one that the transport sets itself
 */
export function parseHeaders(
  entries: readonly string[],
  option = "--header",
  allowed: readonly string[] = [],
): [name: string, value: string][] {
  return entries.flatMap(splitHeaders).flatMap((text) => {
    if (!text.startsWith("{")) {
      const colon = text.indexOf(":");
      if (colon < 1) {
        throw new UsageError(
          option,
          `Expected "Name: value", got ${text.length} characters without a name`,
        );
      }
      return [checked(text.slice(0, colon).trim(), text.slice(colon + 1), option, allowed)];
    }
    let json: unknown;
    try {
      json = JSON.parse(text);
    } catch {
      throw new UsageError(option, "Not valid JSON");
    }
    return Object.entries(json as object).map(([name, value]) =>
      checked(name, String(value), option, allowed)
    );
  });
}

/** Longest value of a header: most servers refuse longer ones. */
export const MAX_HEADER_LENGTH = 8192;

/** The headers of an entry: a comma separates them only where a name and a colon follow it. */
export function splitHeaders(entry: string): string[] {
  // What stands at the end is a part of the value: a line break there is refused, not dropped.
  const text = entry.trimStart();
  if (text.startsWith("{")) return [text];
  return text.split(/,\s*(?=[A-Za-z][!#$%&'*+\-.^_`|~\w]*:(?!:|\/\/))/);
}

/** Headers that decide where a message ends; two opinions on them would break it. */
const RESERVED = new Set(["host", "content-length", "transfer-encoding", "connection"]);

/** The reason why a header cannot have this name; undefined if it can. */
export function headerNameProblem(name: string): string | undefined {
  if (!/^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/.test(name)) return `Not a header name: "${name}"`;
  return RESERVED.has(name.toLowerCase()) ? `${name} is set by the client itself` : undefined;
}

function checked(
  name: string,
  value: string,
  option: string,
  allowed: readonly string[],
): [string, string] {
  const problem = allowed.includes(name.toLowerCase()) ? undefined : headerNameProblem(name);
  if (problem !== undefined) throw new UsageError(option, problem);
  if (/[^\P{Cc}\t]/u.test(value)) {
    throw new UsageError(option, `The value of ${name} has a control character`);
  }
  if (value.length > MAX_HEADER_LENGTH) {
    throw new UsageError(option, `${name} has more than ${MAX_HEADER_LENGTH} characters`);
  }
  return [name, value.trim()];
}
