/** One request as the client recorded it. */
export interface ClientRecord {
  readonly requestId: string;
  /** Nanoseconds since 1970. */
  readonly startNs: bigint;
  /** Whether it succeeded, so that it is part of the statistics. */
  readonly isValid: boolean;
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** Tokens that came after the first chunk, which may bring several: what the time between is divided by. */
  readonly tokensAfterFirst: number;
  /** Events with content. */
  readonly chunks: number;
  /** NaN without a stream. */
  readonly ttftMs: number;
}

/** Reads the records of the measured phase from the lines of `profile_export.jsonl`. */
export function parseClientRecords(text: string): ClientRecord[] {
  const records: ClientRecord[] = [];
  for (const line of text.split("\n")) {
    if (line === "") continue;
    const { metadata, metrics, error } = JSON.parse(line);
    if (metadata["benchmark_phase"] !== "profiling") continue;
    // The digits of the text: as a double the time would be off by up to 128 ns.
    const start = /"request_start_ns":(\d+)/.exec(line)?.[1];
    if (start === undefined) continue;
    const value = (tag: string): number => metrics[tag]?.["value"] ?? NaN;
    const outputTokens = value("output_sequence_length");
    // Of chunks that came all at once, 0 is divided by 0.
    const divisor = Math.round(value("decode_duration") / value("inter_token_latency"));
    records.push({
      requestId: metadata["x_request_id"],
      startNs: BigInt(start),
      isValid: error === undefined,
      inputTokens: value("input_sequence_length"),
      outputTokens,
      tokensAfterFirst: Number.isNaN(divisor) ? outputTokens - 1 : divisor,
      chunks: 1 + (metrics["inter_chunk_latency"]?.["value"].length ?? 0),
      ttftMs: value("time_to_first_token"),
    });
  }
  return records;
}
