/** A dataset that is known by name: where its rows are, and how a row becomes a conversation. */
export interface PublicDataset {
  /** Name in AIPerf, with underscores. */
  readonly name: string;
  /** Names in other tools. */
  readonly aliases?: readonly string[];
  /** Short description of the content. */
  readonly summary: string;
  /** Repository on the hub, `org/name`. */
  readonly repository: string;
  /** Repositories with the same, from which other tools take it. */
  readonly formerly?: readonly string[];
  /** Where it is instead, if it is not on the hub: the URL of its only file. */
  readonly origin?: string;
  /** Name of its file in the cache that AIPerf makes of it. */
  readonly aiperfFile?: string;
  /** Part of the repository, where it has several; `--hf-subset` names another one. */
  readonly subset?: string;
  readonly split: string;
  /**
   * Files in the repository: `*` matches anything but a slash, `{subset}` and `{split}` are
   * replaced.
   */
  readonly files: string;
  /** Whether its owners give it only to those who agreed to their terms. */
  readonly gated?: true;
  readonly prompts: PromptColumns;
  /** Column of an image, or of a list of images, the first of which is sent. */
  readonly image?: string;
  /** Column of a film's URL. */
  readonly video?: string;
  /** Column of a recording. */
  readonly audio?: string;
  /** Lengths beyond which a conversation is left out. */
  readonly lengths?: LengthLimits;
}

/** Which columns of a row are its prompts. */
export type PromptColumns =
  /** One prompt: a text with the names of columns in braces. */
  | { readonly kind: "text"; readonly template: string }
  /**
   * A column with a list of texts, each of which is a turn; with `first`, only the first one is
   * sent.
   */
  | { readonly kind: "texts"; readonly column: string; readonly first?: true }
  /**
   * A column with a list of messages. `first` sends the user's first message; `pairs` sends each
   * message of the user that has an answer, and requests as many tokens as the answer has.
   */
  | { readonly kind: "messages"; readonly column: string; readonly turns: "first" | "pairs" };

/** Limits in tokens that every question and answer of a conversation must meet. */
export interface LengthLimits {
  readonly minTokens: number;
  readonly maxPromptTokens: number;
  readonly maxTotalTokens: number;
}
