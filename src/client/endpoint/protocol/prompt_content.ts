/** Settings from which every request body is built. */

/** Settings that shape every request body of a run. */
export interface BodySettings {
  readonly model: string;
  readonly streaming: boolean;
  /** `max_tokens` instead of `max_completion_tokens` where an endpoint has both. */
  readonly legacyMaxTokens: boolean;
  /** Fields merged into each body; they override what the product sets itself. */
  readonly extraInputs: Readonly<Record<string, unknown>>;
  /** Ask for `usage` in each chunk instead of only at the end. */
  readonly perChunkUsage: boolean;
}

/** Content of a single request. */
export interface PromptContent {
  /** Where passages are ranked, the first one is the query. */
  readonly texts: readonly string[];
  /** URLs or data URIs. */
  readonly images: readonly string[];
  /** Recordings; absent for none. */
  readonly audios?: readonly string[];
  /** Videos; absent for none. */
  readonly videos?: readonly string[];
  /** Tokens to generate at most; undefined leaves it to the server. */
  readonly outputTokens: number | undefined;
  /** Fields of only this request, merged over the run's extra inputs. */
  readonly extra: Readonly<Record<string, unknown>>;
}
