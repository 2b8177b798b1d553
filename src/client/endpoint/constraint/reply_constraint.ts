/** Requirement on the text of a reply. */
export type TextConstraint =
  | { readonly kind: "json_object" }
  | { readonly kind: "json_schema"; readonly schema: unknown }
  /** The whole text must match. */
  | { readonly kind: "regex"; readonly pattern: string }
  | { readonly kind: "choice"; readonly choices: readonly string[] }
  /** Requirement that is not checked, such as a grammar. */
  | { readonly kind: "unchecked"; readonly what: string };

/** A tool that a request offers. */
export interface OfferedTool {
  readonly name: string;
  /** JSON Schema of its arguments; undefined if they may be anything. */
  readonly schema?: unknown;
  /** Whether its arguments are free text instead of JSON; absent for JSON. */
  readonly takesText?: true;
}

/** Requirement on the tool calls of a reply. */
export interface ToolConstraint {
  readonly offered: readonly OfferedTool[];
  /** Whether calls of other tools are possible, such as those that the server itself provides. */
  readonly isOpen: boolean;
  readonly use: "auto" | "none" | "required";
  /** Names of the tools that may be called; absent for all that are offered. */
  readonly only?: readonly string[];
  /** Whether at most one call is allowed; absent for any number. */
  readonly isSingle?: true;
}

/** Requirements of a request on its own reply. */
export interface ReplyConstraint {
  readonly text?: TextConstraint | undefined;
  readonly tools?: ToolConstraint | undefined;
}
