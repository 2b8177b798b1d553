/** Counts the tokens of texts. */
export interface Tokenizer {
  /** Name of the tokenizer in reports. */
  readonly name: string;
  /** Tokens of a text, without the special tokens that a model adds around it. */
  count(text: string): number;
}
