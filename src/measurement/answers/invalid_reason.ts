/** Kind of a reply that breaks a requirement of its own request. */
export const INVALID_REPLY = "invalid_reply";

/**
 * Reasons why a reply breaks the requirements of its own request:
 * - `cut`: the token limit ended the reply before it was complete;
 * - `not_json`: the text is not JSON;
 * - `schema`: the JSON does not fit the schema, or is no object where any object will do;
 * - `regex`: the text does not match the pattern;
 * - `choice`: the text is none of the choices;
 * - `no_call`: no tool was called although the request requires a call;
 * - `wrong_tool`: a tool was called that the request does not offer or allow;
 * - `unasked_call`: a tool was called although the request forbids calls, or more often than it allows;
 * - `arguments_not_json`: the arguments of a call are not a JSON object;
 * - `arguments_schema`: the arguments of a call do not fit the schema of the tool.
 *
 * A record keeps the index of its reason, so new ones are added at the end.
 */
export const INVALID_REASONS = [
  "cut",
  "not_json",
  "schema",
  "regex",
  "choice",
  "no_call",
  "wrong_tool",
  "unasked_call",
  "arguments_not_json",
  "arguments_schema",
] as const;

/** See {@linkcode INVALID_REASONS}. */
export type InvalidReason = typeof INVALID_REASONS[number];

/** Place of a flaw in a text of a reply. */
export interface FlawPlace {
  readonly text: string;
  /** Character of the text, from 0, or JSON pointer to a value in it. */
  readonly at: number | string;
}

/** The first place at which a reply breaks a requirement. */
export interface Flaw {
  readonly reason: InvalidReason;
  /** Place and rule, in one line without any text of the reply. */
  readonly message: string;
  /** Where it is in the reply; undefined for a reply that lacks something. */
  readonly place?: FlawPlace | undefined;
}
