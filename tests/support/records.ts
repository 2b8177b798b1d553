import { ERROR_KINDS, type ErrorKind } from "../../src/client/record/error_kind.ts";
import { RECORD_FIELDS } from "../../src/client/record/request_fields.ts";
import type { RequestRecord } from "../../src/measurement/metrics/request_record.ts";

/**
 * A record of a valid request of 100 ms, three chunks 10 ms apart after 80 ms, whose first and last one
 * carry usage; fields override.
 */
export function recordWith(
  fields: Partial<RequestRecord> & { readonly error?: ErrorKind } = {},
): RequestRecord {
  const { error, ...overrides } = fields;
  const startNs = overrides.startNs ?? 1e9;
  const chunkNs = overrides.chunkNs ??
    Float64Array.of(startNs + 80e6, startNs + 90e6, startNs + 100e6);
  const outputTokens = overrides.outputTokens ?? 5;
  const completionTokens = overrides.completionTokens ??
    outputTokens + (overrides.thoughtTokens || 0);
  const none = Object.fromEntries(RECORD_FIELDS.map((name) => [name, NaN]));
  return {
    ...none as Record<typeof RECORD_FIELDS[number], number>,
    index: 0,
    phase: 1,
    worker: 0,
    entry: 0,
    target: 0,
    intendedNs: startNs,
    claimedNs: startNs,
    startNs,
    blockedNs: 0,
    dnsNs: 0,
    connectingNs: 0,
    tlsNs: 0,
    sendStartNs: startNs,
    sendEndNs: startNs + 1e6,
    headNs: startNs + 79e6,
    firstBodyNs: startNs + 79e6,
    lastBodyNs: startNs + 101e6,
    endNs: startNs + 101e6,
    lastEventNs: startNs + 101e6,
    bytesSent: 1024,
    bytesReceived: 2048,
    writes: 1,
    reads: 4,
    reused: 1,
    retried: 0,
    status: 200,
    chunkCount: chunkNs.length,
    firstOutputChunk: 0,
    coalescedChunks: 0,
    endedAtLimit: 1,
    promptTokens: 10,
    completionTokens,
    totalTokens: 10 + completionTokens,
    firstChunkTokens: 1,
    lastChunkTokens: completionTokens,
    inputTokens: 10,
    outputTokens,
    thoughtTokens: NaN,
    requestedTokens: 5,
    images: 0,
    ...overrides,
    chunkNs,
    stampCount: chunkNs.length,
    firstChunkNs: chunkNs[0] ?? NaN,
    secondChunkNs: chunkNs[1] ?? NaN,
    lastChunkNs: chunkNs.at(-1) ?? NaN,
    outputChunkNs: chunkNs[overrides.firstOutputChunk ?? 0] ?? NaN,
    errorKind: error === undefined ? -1 : ERROR_KINDS.indexOf(error),
  };
}
