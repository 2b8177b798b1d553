/** Kinds of text that users and maintainers read, in the order in which they are reported. */
export const PROSE_KINDS = ["docs", "help", "messages", "comments"] as const;

export type ProseKind = (typeof PROSE_KINDS)[number];

/** One paragraph, heading, table cell, string or comment: checked as one piece. */
export interface ProseText {
  readonly kind: ProseKind;
  /** Path below the checkout, with slashes. */
  readonly file: string;
  /** Line on which the text begins, from 1. */
  readonly line: number;
  /** Text without markup, in one line; code is replaced by `CODE`. */
  readonly text: string;
  /** Decides which limits of length apply; `comment` is the first paragraph of a doc comment. */
  readonly role: "paragraph" | "cell" | "heading" | "comment" | "more" | "tag" | "string";
}
