import type { ToolCall } from "../tool_calls.ts";

/** An answer that a row expects, by the kind of comparison. */
export type Expected =
  /** The whole answer, without white space at its ends. */
  | { readonly exact: string }
  /** A pattern that the answer contains. */
  | { readonly regex: string; readonly flags?: string | undefined }
  /** The last number of the answer; `tolerance` is an absolute difference, 0 by default. */
  | { readonly number: number; readonly tolerance?: number | undefined }
  /** A letter of a multiple choice, in upper case. */
  | { readonly choice: string }
  /** A JSON value: the whole answer, or its first code block. */
  | { readonly json: unknown }
  /** Texts that the answer contains in any case; of a list, one. */
  | { readonly keywords: readonly (string | readonly string[])[] }
  /** Calls of tools in any order, compared by name and arguments. */
  | { readonly "tool_calls": readonly ToolCall[] };

/** Names of the kinds, as rows have them. */
export const EXPECTED_KINDS = [
  "exact",
  "regex",
  "number",
  "choice",
  "json",
  "keywords",
  "tool_calls",
] as const;
