import type { EndpointType } from "../../client/endpoint/protocol/endpoint_type.ts";
import type { RunPlan, Target } from "../../config/plan/run_plan.ts";
import { USER_AGENT } from "../../config/plan/version.ts";
import {
  hasSessions,
  type PayloadPlace,
  type PayloadSource,
} from "../dataset/payloads/payload_table.ts";
import { markedBody } from "../dataset/payloads/session_marker.ts";
import type { Turn } from "../workload/workload.ts";
import type { LoadOrders } from "./messages.ts";
import { primedBody } from "./primed_body.ts";
import type { RequestSlot } from "./request_slot.ts";
import type { SendTimes, SessionPlay } from "./session_player.ts";

/** Header that all requests of a session share, unless it was given another name. */
const SESSION_HEADER = "X-Correlation-ID";

/** The requests of sessions' turns: where they go, their headers and bodies. */
export class TurnRequests {
  readonly #orders: LoadOrders;
  readonly #type: EndpointType;
  readonly #payloads: PayloadSource;
  readonly #newRequestId: () => string;
  readonly #headerLines: readonly string[];
  #phaseNumber = 0;

  constructor(
    orders: LoadOrders,
    type: EndpointType,
    payloads: PayloadSource,
    newRequestId: () => string,
  ) {
    this.#orders = orders;
    this.#type = type;
    this.#payloads = payloads;
    this.#newRequestId = newRequestId;
    this.#headerLines = orders.plan.targets.map((target) =>
      sharedHeaderLines(orders.plan, type, target, USER_AGENT)
    );
  }

  /** @param phaseNumber 0 for warm-up, 1 for profiling */
  beginPhase(phaseNumber: number): void {
    this.#phaseNumber = phaseNumber;
  }

  /** Has a slot send the request of a turn. */
  start(slot: RequestSlot, play: SessionPlay, turn: Turn, number: number, times: SendTimes): void {
    const { plan, worker } = this.#orders;
    const { session } = play;
    const target = plan.targets[turn.target] as RunPlan["targets"][number];
    const requestId = this.#newRequestId();
    if (play.correlationId === "") play.correlationId = requestId;
    const place = this.#payloads.locate(turn.entry);
    const body = this.#bodyOf(play, turn, place);
    slot.start({
      index: number,
      phase: this.#phaseNumber,
      worker,
      session: session.index,
      turn: play.turn,
      turns: play.requests ?? session.turns.length,
      waitedFor: play.waitedFor,
      idleCutNs: play.idleCutNs,
      hasDiverged: play.history?.hasDiverged?.(play.turn),
      isPriming: play.isPriming,
      entry: turn.entry,
      target: turn.target,
      // Bodies of an input file that name their models are nobody's choice here.
      model: this.#payloads.modelCount > 1 ? turn.model : NaN,
      choices: place.table.data.choices?.[place.entry],
      intendedNs: times.intendedNs,
      claimedNs: times.claimedNs,
      punctualNs: hasSessions(place.table.data) ? play.punctualNs : undefined,
      requestId,
      correlationId: play.correlationId,
    }, {
      origin: target.origin,
      method: this.#type.method,
      path: target.path,
      headerLines: this.#headerLines[turn.target] as string,
      ownLines: `X-Request-ID: ${requestId}\r\n` +
        `${plan.sessionHeader ?? SESSION_HEADER}: ${play.correlationId}\r\n`,
      body,
      session: session.turns.length > 1 ? play : undefined,
    });
  }

  #bodyOf(
    { history, session, turn: place, isPriming }: SessionPlay,
    { entry: number, model }: Turn,
    { table, entry }: PayloadPlace,
  ): Uint8Array[] {
    const phase = this.#phaseNumber === 1 ? "profiling" : "warmup";
    const turn = { phase, session: session.index, turn: place } as const;
    const body = history?.bodyOf(number, model, turn, place) ?? table.bodyOf(entry, model, turn);
    const { markers } = table.data;
    const marked = markers === undefined ? body : markedBody(body, markers, entry, turn);
    const messagesEnd = table.data.conversations?.messagesEnd[entry] ?? -1;
    if (isPriming !== true || messagesEnd < 0) return marked;
    const tail = table.pieceOf(entry, model, messagesEnd, Infinity, turn);
    return primedBody(marked, tail.reduce((sum, { length }) => sum + length, 0), this.#type);
  }
}

/**
 * Returns the header lines that all requests to a target share: the user's headers, the
 * authorization, and the headers of the endpoint type. A header that the user sets replaces
 * inferometer's header of that name.
 */
export function sharedHeaderLines(
  plan: Pick<RunPlan, "headers" | "body">,
  type: Pick<EndpointType, "body" | "headers" | "writer">,
  target: Target,
  userAgent: string,
): string {
  const given = new Set(plan.headers.map(([name]) => name.toLowerCase()));
  const [streamType = "text/event-stream"] = type.writer.stream?.contentType.split(";") ?? [];
  const own: [string, string][] = [
    ["User-Agent", userAgent],
    ["Accept", plan.body.streaming ? streamType : "application/json"],
    // A proxy that compresses a stream also batches it.
    ["Accept-Encoding", "identity"],
    ["Content-Type", type.body.contentType],
    ...(type.headers ?? []).map(([name, value]): [string, string] => [name, value]),
  ];
  if (target.authorization !== undefined) own.push(["Authorization", target.authorization]);
  return [...own.filter(([name]) => !given.has(name.toLowerCase())), ...plan.headers]
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join("");
}
