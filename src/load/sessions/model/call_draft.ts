import {
  type CallEdge,
  circleOf,
  type EdgeKind,
  type GapClass,
} from "../../../core/session_graph/session_graph.ts";
import { DatasetError } from "../../../core/files/dataset_error.ts";
import { escapedControls } from "../../../core/files/escaped_controls.ts";
import {
  type AgentCall,
  type AgentSession,
  type CallPrompt,
  type PromptPart,
  unknownReply,
} from "./agent_session.ts";

/** An edge to a call that has no number yet. */
export interface DraftEdge {
  readonly call: CallDraft;
  readonly on: CallEdge["on"];
  kind: EdgeKind;
  gapMs: number;
}

/** A call while its session is being read. */
export class CallDraft {
  readonly id: string;
  agent = "main";
  /** Type of the agent; undefined where the file has none. */
  agentKind: string | undefined;
  depth = 0;
  model: string | undefined;
  isVirtual = false;
  readonly edges: DraftEdge[] = [];
  offsetMs = 0;
  notBeforeMs: number | undefined;
  gapClass: GapClass | undefined;
  toolMs: number | undefined;
  outputTokens = 1;
  prompt: CallPrompt = { kind: "none" };
  reply: readonly PromptPart[] | undefined;
  extra: Readonly<Record<string, unknown>> = {};
  predecessor: CallDraft | undefined;
  /** Recorded times; NaN without. */
  startMs = NaN;
  endMs = NaN;
  recordedInputTokens: number | undefined;

  constructor(id: string) {
    this.id = id;
  }

  /** Waits for another call, unless it waits for that event already. */
  after(call: CallDraft, kind: EdgeKind, gapMs = 0, on: CallEdge["on"] = "end"): void {
    if (this.edges.some((edge) => edge.call === call && edge.on === on)) return;
    this.edges.push({ call, on, kind, gapMs });
    if (kind === "sequence") this.predecessor = call;
  }
}

/** Calls of a session at most: their numbers have 16 bits. */
const MAX_CALLS = 65_535;

/**
 * Returns a session of finished calls. Recorded times and offsets become relative to its first call.
 * @param path of the file, for messages
 * @param firstMs recorded start of the file's first call; undefined if `offsetMs` is known
 * @throws {DatasetError} if calls wait for each other in a circle, or are too many
 */
export function finishedSession(
  path: string,
  id: string,
  drafts: readonly CallDraft[],
  { firstMs, offsetMs = 0 }: { readonly firstMs?: number; readonly offsetMs?: number } = {},
): AgentSession {
  if (drafts.length > MAX_CALLS) {
    const shown = escapedControls(id);
    throw new DatasetError(
      path,
      undefined,
      `Session ${shown} has ${drafts.length} calls: at most ${MAX_CALLS} are supported`,
    );
  }
  const numbers = new Map(drafts.map((draft, number) => [draft, number]));
  const zeroMs = drafts.reduce((least, { startMs }) => Math.min(least, startMs), Infinity);
  const calls = drafts.map((draft): AgentCall => {
    const isTimed = !Number.isNaN(draft.startMs);
    return {
      id: draft.id,
      agent: draft.agent,
      agentKind: draft.agentKind ?? (draft.depth === 0 ? "main" : "subagent"),
      depth: draft.depth,
      model: draft.model,
      edges: draft.edges.map(({ call, on, kind, gapMs }) => ({
        from: numbers.get(call) as number,
        on,
        kind,
        gapMs,
      })),
      offsetMs: isTimed && draft.edges.length === 0 ? draft.startMs - zeroMs : draft.offsetMs,
      notBeforeMs: draft.notBeforeMs,
      isVirtual: draft.isVirtual,
      gapClass: draft.gapClass,
      toolMs: draft.toolMs,
      outputTokens: draft.outputTokens,
      predecessor: draft.predecessor === undefined ? undefined : numbers.get(draft.predecessor),
      prompt: draft.prompt,
      extra: draft.extra,
      reply: draft.reply ?? [unknownReply(draft.id, draft.outputTokens)],
      recorded: isTimed
        ? { startMs: draft.startMs - zeroMs, endMs: draft.endMs - zeroMs }
        : undefined,
      recordedInputTokens: draft.recordedInputTokens,
    };
  });
  const circle = circleOf(calls);
  if (circle !== undefined) {
    const names = circle.map((call) => escapedControls(calls[call]?.id ?? ""));
    throw new DatasetError(
      path,
      undefined,
      `Session ${escapedControls(id)}: calls wait for each other in a circle: ${names.join(", ")}`,
    );
  }
  return { id, offsetMs: firstMs === undefined ? offsetMs : zeroMs - firstMs, calls };
}

/**
 * Sets the gaps of recorded calls: from the latest recorded end of all calls that a call waits for
 * to its recorded start, on each end edge; on an edge to a start, from that start. So a replay with
 * replies as long as recorded starts every call at its recorded time.
 */
export function setRecordedGaps(drafts: readonly CallDraft[]): void {
  for (const draft of drafts) {
    const lastEndMs = latestEndMs(draft);
    for (const edge of draft.edges) {
      const fromMs = edge.on === "start" ? edge.call.startMs : lastEndMs;
      edge.gapMs = Math.max(0, draft.startMs - fromMs);
    }
  }
}

/** Returns the latest recorded end that a call waits for; -Infinity if it waits for none. */
export function latestEndMs({ edges }: CallDraft): number {
  return edges.reduce(
    (latest, { call, on }) => on === "end" ? Math.max(latest, call.endMs) : latest,
    -Infinity,
  );
}

/**
 * Returns the calls that had ended when a call started and that no later one of them follows: the
 * calls that it can have waited for.
 */
export function frontierOf(target: CallDraft, others: readonly CallDraft[]): CallDraft[] {
  const done = others.filter(({ startMs, endMs }) =>
    startMs < target.startMs && endMs <= target.startMs
  );
  return done.filter((one) => !done.some((other) => other !== one && one.endMs <= other.startMs));
}

/** Returns the milliseconds that spans cover together between two times. */
export function unionMs(
  spans: readonly (readonly [startMs: number, endMs: number])[],
  fromMs: number,
  toMs: number,
): number {
  const cut = spans
    .map(([start, end]) => [Math.max(start, fromMs), Math.min(end, toMs)] as const)
    .sort(([a, aEnd], [b, bEnd]) => a - b || aEnd - bEnd);
  let [total, reached] = [0, fromMs];
  for (const [start, end] of cut) {
    if (end <= start) continue;
    total += Math.max(0, end - Math.max(start, reached));
    reached = Math.max(reached, end);
  }
  return total;
}

/** Returns the item with the largest key, of equal keys the first; undefined if there is none. */
export function lastBy<T>(
  items: readonly T[],
  keyOf: (item: T) => readonly (number | string)[],
): T | undefined {
  return items.reduce<T | undefined>(
    (best, item) => best === undefined || isLess(keyOf(best), keyOf(item)) ? item : best,
    undefined,
  );
}

/** Whether a key comes before another one, part by part. */
export function isLess(
  a: readonly (number | string)[],
  b: readonly (number | string)[],
): boolean {
  return orderOf(a, b) < 0;
}

/** Negative if a key comes before another one, positive if it comes after it, part by part. */
export function orderOf(
  a: readonly (number | string)[],
  b: readonly (number | string)[],
): number {
  for (let i = 0; i < Math.min(a.length, b.length); i++) {
    const [one, other] = [a[i] as number | string, b[i] as number | string];
    if (one < other) return -1;
    if (one > other) return 1;
  }
  return a.length - b.length;
}
