import type { RecordTable } from "./record_table.ts";

/** Completions of each block of time. */
export interface BlockCompletions {
  readonly requests: Float64Array;
  readonly good: Float64Array;
  /** Input tokens of the requests that completed. */
  readonly tokensIn: Float64Array;
}

/**
 * Counts the completions of a table in blocks of time, whenever their requests started: those of
 * requests that belong to neighbouring parts of the run are included.
 * @param count number of blocks
 * @param indexOf block of a time in ns of the run's clock; -1 for none
 */
export function completionsInBlocks(
  table: RecordTable,
  count: number,
  indexOf: (endNs: number) => number,
): BlockCompletions {
  const [requests, good, tokensIn] = [0, 0, 0].map(() => new Float64Array(count)) as [
    ...[Float64Array, Float64Array, Float64Array],
  ];
  const add = (
    ends: Float64Array,
    tokens: Float64Array | undefined,
    areGood: Float64Array,
  ): void => {
    for (let row = 0; row < ends.length; row++) {
      const block = indexOf(ends[row] as number);
      if (block < 0) continue;
      requests[block] = (requests[block] as number) + 1;
      good[block] = (good[block] as number) + (areGood[row] || 0);
      tokensIn[block] = (tokensIn[block] as number) + (tokens?.[row] || 0);
    }
  };
  const { straddling } = table;
  add(table.contentEndNs.values, table.column("input_sequence_length"), table.counts("good"));
  add(straddling.contentEndNs.values, straddling.inputTokens.values, straddling.good.values);
  return { requests, good, tokensIn };
}
