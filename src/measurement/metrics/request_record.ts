import { ERROR_KINDS } from "../../client/record/error_kind.ts";
import type { RecordField } from "../../client/record/request_fields.ts";

/**
 * One request as the metrics see it: the columns of its record, and what was counted of it.
 * NaN stands for "did not happen" and "not known".
 */
export interface RequestRecord extends Readonly<Record<RecordField, number>> {
  /** Timestamps of the content chunks, nanoseconds of the run's clock. */
  readonly chunkNs: Float64Array;
  /** How many of them there are, and some of them: NaN where there is none. */
  readonly stampCount: number;
  readonly firstChunkNs: number;
  readonly secondChunkNs: number;
  readonly lastChunkNs: number;
  /** Time of the first chunk with more than reasoning. */
  readonly outputChunkNs: number;
}

const CANCELLED = ERROR_KINDS.indexOf("cancelled");
const ON_PURPOSE = ERROR_KINDS.indexOf("cancelled_on_purpose");
const CUT_OFF = ERROR_KINDS.indexOf("cut_off");

/** Whether the request was ended because the run was, or on purpose: it counts neither way. */
export function isCancelled({ errorKind }: Pick<RequestRecord, "errorKind">): boolean {
  return errorKind === CANCELLED || errorKind === ON_PURPOSE;
}

/** Whether it was ended on purpose, as `--request-cancellation-rate` asks. */
export function isCancelledOnPurpose({ errorKind }: RequestRecord): boolean {
  return errorKind === ON_PURPOSE;
}

/** Whether the client ended the request while its reply might still have completed. */
export function wasCut(record: Pick<RequestRecord, "errorKind">): boolean {
  return isCancelled(record) || record.errorKind === CUT_OFF;
}

/** Whether the request failed, not because the run ended or on purpose. */
export function hasFailed(record: Pick<RequestRecord, "errorKind">): boolean {
  return record.errorKind >= 0 && !wasCut(record);
}

/** Whether the request counts as a success. */
export function isValid(record: RequestRecord): boolean {
  return record.errorKind < 0;
}

/** Time from start to the last content chunk, or to the end of the body without streaming. */
export function latencyNs(record: RequestRecord): number {
  return lastContentNs(record) - record.startNs;
}

/**
 * Returns the time from start to the first content chunk in nanoseconds; NaN for a non-streamed
 * reply, for which it is unknown.
 */
export function firstTokenNs(record: RequestRecord): number {
  return record.isWhole === 1 ? NaN : record.firstChunkNs - record.startNs;
}

/**
 * Returns the time from start to the first content chunk with more than reasoning, in nanoseconds.
 */
export function firstOutputNs(record: RequestRecord): number {
  return record.isWhole === 1 ? NaN : record.outputChunkNs - record.startNs;
}

/** Time from the first content chunk to the last one. */
export function decodeNs(record: RequestRecord): number {
  return latencyNs(record) - firstTokenNs(record);
}

/** Arrival of the last content chunk. */
function lastContentNs(record: RequestRecord): number {
  return record.lastChunkNs;
}

/** Output and reasoning tokens together; NaN if neither is known. */
export function outputSequenceLength(record: RequestRecord): number {
  const { outputTokens, thoughtTokens } = record;
  if (Number.isNaN(outputTokens) && Number.isNaN(thoughtTokens)) return NaN;
  return (outputTokens || 0) + (thoughtTokens || 0);
}
