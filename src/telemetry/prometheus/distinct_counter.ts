import { TEXT_BITS, TextBits } from "./text_bits.ts";

/**
 * Estimates how many different texts it was given, in half a megabyte whatever their number: the
 * share of bits that they set gives the number (linear counting), exactly for a few and within a few
 * percent for millions.
 */
export class DistinctCounter {
  #bits: TextBits | undefined;

  /** Counts a text, unless it was counted before. */
  add(text: string): void {
    this.#bits ??= new TextBits();
    this.#bits.add(text);
  }

  /** About how many different texts there were. */
  get count(): number {
    const unset = Math.max(TEXT_BITS - (this.#bits?.setBits ?? 0), 1);
    return Math.round(TEXT_BITS * Math.log(TEXT_BITS / unset));
  }
}
