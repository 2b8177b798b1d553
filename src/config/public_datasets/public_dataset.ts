/** A data set that is known by name: where its rows are, and how a row becomes a conversation. */
export interface PublicDataset {
  /** As AIPerf writes it, with underscores. */
  readonly name: string;
  /** What other tools call it. */
  readonly aliases?: readonly string[];
  /** What it holds, in a few words. */
  readonly summary: string;
  /** Its repository on the hub, `org/name`. */
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
   * Its files in the repository: `*` stands for anything but a slash, `{subset}` and `{split}` for
   * those.
   */
  readonly files: string;
  /** Whether its owners give it only to those who agreed to their terms. */
  readonly gated?: true;
  readonly prompts: PromptColumns;
  /** Column of a picture, or of a list of them, of which the first is sent. */
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
  /** A column with a list of texts, of which each is a turn; with `first`, only that one is sent. */
  | { readonly kind: "texts"; readonly column: string; readonly first?: true }
  /**
   * A column with a list of messages. `first` sends what the person says first; `pairs` sends each
   * thing a person says that is answered, and asks for as many tokens as the answer has.
   */
  | { readonly kind: "messages"; readonly column: string; readonly turns: "first" | "pairs" };

/** Lengths in tokens that every question and answer of a conversation keeps to. */
export interface LengthLimits {
  readonly minTokens: number;
  readonly maxPromptTokens: number;
  readonly maxTotalTokens: number;
}
