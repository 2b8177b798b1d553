/** Counts the tokens of texts. */
export interface Tokenizer {
  /** Its name in reports. */
  readonly name: string;
  /** Tokens of a text, without the special tokens that a model adds around it. */
  count(text: string): number;
}
