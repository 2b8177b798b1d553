import { REDACTED } from "./redactor.ts";
import { redactedFields } from "./secret_fields.ts";
import { isSecretHeader, redactedHeaders } from "./secret_headers.ts";
import { isSecretName } from "./secret_names.ts";
import { redactedUrlText } from "./url_secrets.ts";

/**
 * The place of the secret in an option's value: all of it, or a part of a URL, header, header
 * after a URL (`URL=Name: value`) or field.
 */
export type OptionSecret = "value" | "url" | "header" | "urlHeader" | "fields";

/** The value of an option as it may be shown. */
export function redactedOption(secret: OptionSecret, text: string): string {
  switch (secret) {
    case "value":
      return REDACTED;
    case "url":
      return redactedUrlText(text);
    case "header":
      return text.trimStart().startsWith("{")
        ? redactedObject(text, redactedHeaderObject)
        : redactedHeaderText(text);
    case "urlHeader":
      return redactedUrlHeader(text);
    case "fields":
      return text.trimStart().startsWith("{")
        ? redactedObject(text, redactedFields)
        : splitPairs(text).map(redactedField).join(",");
  }
}

/** The entries of `name:value,name:value`: a comma separates them where a name follows it. */
export function splitPairs(text: string): string[] {
  return text.split(/,(?=\s*[A-Za-z_][\w.-]*\s*:)/);
}

type Fields = Record<string, unknown>;

function redactedObject(text: string, redacted: (fields: Fields) => Fields): string {
  try {
    const fields: Fields = JSON.parse(text);
    const before = JSON.stringify(fields);
    const after = JSON.stringify(redacted(fields));
    return after === before ? text : after;
  } catch {
    return REDACTED;
  }
}

function redactedHeaderObject(headers: Fields): Fields {
  const pairs = Object.entries(headers).map(([name, value]) => [name, String(value)] as const);
  return Object.fromEntries(redactedHeaders(pairs));
}

/** Commas and colons may be part of a secret: behind the first one, nothing is shown. */
function redactedHeaderText(text: string): string {
  const pairs = splitPairs(text);
  const first = pairs.findIndex((pair) => {
    const [name, value] = parts(pair);
    return value === undefined || isSecretHeader(name.trim(), value);
  });
  if (first < 0) return text;
  const [name, value] = parts(pairs[first] as string);
  const shown = value === undefined ? REDACTED : `${name}: ${REDACTED}`;
  return [...pairs.slice(0, first), shown].join(",");
}

/**
 * Where the URL ends is known only with the endpoints, because a query may look like a header:
 * every place where a header could begin is examined.
 */
function redactedUrlHeader(text: string): string {
  const starts = [...text.matchAll(/=(?=[!#$%&'*+\-.^_`|~\w]+[ \t]*:)/g)].map(({ index }) => index);
  const [first] = starts;
  if (first === undefined || text.includes("@", first)) return REDACTED;
  for (const start of starts) {
    const header = text.slice(start + 1);
    const shown = redactedHeaderText(header);
    if (shown !== header) return `${redactedUrlText(text.slice(0, start))}=${shown}`;
  }
  return redactedUrlText(text.slice(0, first)) + text.slice(first);
}

function redactedField(pair: string): string {
  const [name, value] = parts(pair);
  if (value === undefined || isSecretName(name)) {
    return value === undefined ? REDACTED : `${name}:${REDACTED}`;
  }
  return /^\s*[[{]/.test(value) ? `${name}:${redactedObject(value, redactedFields)}` : pair;
}

function parts(pair: string): [name: string, value: string | undefined] {
  const colon = pair.indexOf(":");
  return colon < 0 ? [pair, undefined] : [pair.slice(0, colon), pair.slice(colon + 1)];
}
