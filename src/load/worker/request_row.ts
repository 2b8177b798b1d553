import type { ReplyReader } from "../../client/endpoint/protocol/reply_reader.ts";
import { isLimitReason } from "../../client/endpoint/protocol/is_limit_reason.ts";
import type { ServerWork } from "../../client/endpoint/protocol/server_work.ts";
import type { TraceMarks } from "../../client/http/transport.ts";
import { fnv1a } from "../../core/statistics/fnv1a.ts";
import { ACCEPTED_AT_FIELDS, FIELD } from "../../client/record/request_fields.ts";

const encoder = new TextEncoder();

/** Fields of the times that chunks waited until they were read. */
const WAIT_FIELDS = [
  ...["firstWaitNs", "secondWaitNs", "lastWaitNs"] as const,
  ...["firstPiledNs", "secondPiledNs", "lastPiledNs"] as const,
] as const;

/** Identity of a request in its session and phase, and its times. */
export interface SlotRequest {
  readonly index: number;
  readonly session: number;
  /** Place of its turn in the session, and how many turns that has. */
  readonly turn: number;
  readonly turns: number;
  /** 0 for warm-up, 1 for profiling. */
  readonly phase: number;
  readonly worker: number;
  readonly entry: number;
  readonly target: number;
  readonly model: number;
  /** Event after which it became due: see REQUEST_FIELDS; absent where turns follow each other. */
  readonly waitedFor?: number | undefined;
  /** By how much idle caps have moved the calls of its session; absent for lists. */
  readonly idleCutNs?: number | undefined;
  /** Whether it carries a recorded reply instead of a live one; absent for lists. */
  readonly hasDiverged?: boolean | undefined;
  /** Whether it only fills the server's caches and has no record. */
  readonly isPriming?: boolean | undefined;
  /** Answers that its body asks for; missing for one. */
  readonly choices?: number | undefined;
  readonly intendedNs: number;
  readonly claimedNs: number;
  /** Start if no request of its session had been sent late; absent where it is the only one. */
  readonly punctualNs?: number | undefined;
  readonly requestId: string;
  /** The request ID of the session's first turn. */
  readonly correlationId: string;
}

/** Fills the columns of a record from its request, the marks of its exchange and its reply. */
export function fillRow(
  row: Float64Array,
  request: SlotRequest,
  trace: TraceMarks,
  reader: ReplyReader,
): void {
  const { content, status } = reader;
  row[FIELD.index] = request.index;
  row[FIELD.phase] = request.phase;
  row[FIELD.waitedFor] = request.waitedFor ?? NaN;
  row[FIELD.diverged] = request.hasDiverged === undefined ? NaN : Number(request.hasDiverged);
  row[FIELD.idleCutNs] = request.idleCutNs ?? NaN;
  row[FIELD.worker] = request.worker;
  row[FIELD.session] = request.session;
  row[FIELD.turn] = request.turn;
  row[FIELD.turns] = request.turns;
  row[FIELD.entry] = request.entry;
  row[FIELD.target] = request.target;
  row[FIELD.model] = request.model;
  row[FIELD.intendedNs] = request.intendedNs;
  row[FIELD.claimedNs] = request.claimedNs;
  row[FIELD.startNs] = trace.startNs;
  row[FIELD.blockedNs] = trace.blockedNs;
  row[FIELD.dnsNs] = trace.dnsNs;
  row[FIELD.connectingNs] = trace.connectingNs;
  row[FIELD.tlsNs] = trace.tlsNs;
  row[FIELD.sendStartNs] = trace.sendStartNs;
  row[FIELD.sendEndNs] = trace.sendEndNs;
  row[FIELD.sentSyncNs] = trace.sentSyncNs;
  row[FIELD.headNs] = trace.headNs;
  row[FIELD.firstBodyNs] = trace.firstBodyNs;
  row[FIELD.lastBodyNs] = trace.lastBodyNs;
  row[FIELD.endNs] = trace.endNs;
  row[FIELD.lastEventNs] = content.lastEventNs;
  row[FIELD.bytesSent] = trace.bytesSent;
  row[FIELD.bytesReceived] = trace.bytesReceived;
  row[FIELD.writes] = trace.writes;
  row[FIELD.reads] = trace.reads;
  row[FIELD.reused] = trace.reused;
  row[FIELD.retried] = trace.retried;
  row[FIELD.status] = status;
  row[FIELD.isWhole] = reader.isWhole ? 1 : 0;
  row[FIELD.chunkCount] = content.chunkCount;
  row[FIELD.firstOutputChunk] = content.firstOutputChunk;
  row[FIELD.coalescedChunks] = content.coalescedChunks;
  row[FIELD.promptTokens] = content.usage?.promptTokens ?? NaN;
  row[FIELD.cachedTokens] = content.usage?.cachedTokens ?? NaN;
  row[FIELD.completionTokens] = content.usage?.completionTokens ?? NaN;
  row[FIELD.totalTokens] = content.usage?.totalTokens ?? NaN;
  row[FIELD.reasoningTokens] = content.usage?.reasoningTokens ?? NaN;
  fillWork(row, content.others.size > 0 ? undefined : content.work);
  row[FIELD.firstChunkTokens] = content.firstChunkTokens ?? NaN;
  row[FIELD.lastChunkTokens] = content.lastChunkTokens ?? NaN;
  row[FIELD.endedAtLimit] = content.finishReason === null
    ? NaN
    : isLimitReason(content.finishReason)
    ? 1
    : 0;
  row[FIELD.firstChunkBytes] = content.firstChunkBytes;
  row[FIELD.items] = content.items;
  row[FIELD.refusedCounts] = content.usage?.refused ?? 0;
  row[FIELD.choices] = Math.max(request.choices ?? 1, 1 + content.others.size);
  row[FIELD.choiceSpansNs] = content.choiceSpansNs;
}

/** Servers report the work of one choice: with several, it is not known. */
function fillWork(row: Float64Array, work: ServerWork = {}): void {
  row[FIELD.serverQueueNs] = work.queueNs ?? NaN;
  row[FIELD.serverPrefillNs] = work.prefillNs ?? NaN;
  row[FIELD.serverTtftNs] = work.ttftNs ?? NaN;
  row[FIELD.serverTransferNs] = work.transferNs ?? NaN;
  row[FIELD.drafts] = work.drafts ?? NaN;
  row[FIELD.draftTokens] = work.draftTokens ?? NaN;
  row[FIELD.acceptedTokens] = work.acceptedTokens ?? NaN;
  ACCEPTED_AT_FIELDS.forEach((name, at) => row[FIELD[name]] = work.acceptedAt?.[at] ?? NaN);
  row[FIELD.serverWorker] = work.worker === undefined ? NaN : hashOf(work.worker);
}

/** A number for the name of an instance: names may be those of hosts, which are not kept. */
function hashOf(name: string): number {
  return fnv1a(encoder.encode(name));
}

/** Removes the read delays of earlier chunks from a row. */
export function clearWaits(row: Float64Array): void {
  for (const field of WAIT_FIELDS) row[FIELD[field]] = NaN;
}

/**
 * Records the maximum read delay of the chunks that came with a read.
 * @param before chunks before the read
 * @param count chunks after it
 */
export function fillWaits(
  row: Float64Array,
  trace: TraceMarks | undefined,
  before: number,
  count: number,
  stampNs: number,
): void {
  if (count === before) return;
  const waitNs = trace === undefined ? NaN : stampNs - trace.unreadSinceNs;
  const piledNs = trace === undefined ? NaN : stampNs - trace.piledSinceNs;
  if (before === 0) {
    row[FIELD.firstWaitNs] = waitNs;
    row[FIELD.firstPiledNs] = piledNs;
  }
  if (before < 2 && count > 1) {
    row[FIELD.secondWaitNs] = waitNs;
    row[FIELD.secondPiledNs] = piledNs;
  }
  row[FIELD.lastWaitNs] = waitNs;
  row[FIELD.lastPiledNs] = piledNs;
}
