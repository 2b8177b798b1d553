/** Counts the tokens of texts. */
export interface Tokenizer {
  /** Name of the tokenizer in reports. */
  readonly name: string;
  /** Tokens of a text, without the special tokens that a model adds around it. */
  count(text: string): number;
  /** Whether it counts no more, because a count took too long in an interrupted run. */
  readonly hasGivenUp?: boolean;
}

/** Tokenizer that also returns the tokens of a text. */
export interface TokenCoder extends Tokenizer {
  /** Numbers of the tokens of a text: equal numbers are equal tokens. */
  encode(text: string): readonly number[];
}
