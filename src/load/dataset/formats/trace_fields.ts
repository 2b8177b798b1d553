import * as z from "npm:zod@4.6.7";
import type { InputRecord } from "./input_record.ts";

/** Ids of the blocks of a prompt. */
export const HASH_IDS = z.array(z.int().nonnegative());

/** Tokens of a prompt or a reply, as traces count them. */
export const TRACE_TOKENS = z.int().nonnegative();

/** Digits that a number of seconds has for certain, whatever it is multiplied with. */
const CERTAIN_DIGITS = 15;

/** Milliseconds of a time in seconds: 1001 of 1.001, which 1000 times that number is not. */
export function millisecondsOf(seconds: number): number {
  return Number((seconds * 1000).toPrecision(CERTAIN_DIGITS));
}

/**
 * Checks that a prompt has as many tokens as its blocks have room for: all but the last are full.
 * @throws {DatasetError} if there are more blocks than that; a prompt may continue after its blocks
 */
export function checkBlocks(
  record: InputRecord,
  inputTokens: number,
  hashIds: readonly number[],
  blockSize: number,
): void {
  if (hashIds.length === 0 || inputTokens > (hashIds.length - 1) * blockSize) return;
  throw record.error(
    `${hashIds.length} blocks of ${blockSize} tokens are more than the prompt's ${inputTokens} ` +
      "tokens: --isl-block-size is the size of a block",
    ["hash_ids"],
  );
}
