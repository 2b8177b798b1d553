import type { EndpointType } from "../../../client/endpoint/protocol/endpoint_type.ts";
import type { ConversationTurn } from "./conversation.ts";
import {
  isWarmupTarget,
  type MarkerColumns,
  markerOffset,
  sessionMarker,
} from "../payloads/session_marker.ts";
import type { Tokenizer } from "../tokenizers/tokenizer.ts";
import type { OwnEnd } from "./shared_bodies.ts";
import type { Refuse, TurnBody } from "./turn_body.ts";
import type { RunPlan } from "../../../config/plan/run_plan.ts";

/** Marker target of warm-up if its prompts are shared with the measurement. */
const WARMUP_TARGET = "warmup-isolation-first-turn";

/** What the markers of a table have in common. */
type Marking = Pick<MarkerColumns, "target" | "seed" | "isOfRun">;

/**
 * Returns the markers of a plan's turns; undefined if they have none.
 * @param tokenizer counts the tokens of a marker; undefined to leave them out
 * @param marksWarmup whether warm-up marks prompts where nothing else marks them
 */
export function turnMarkers(
  { cacheBust, seed = 0, marksRun }: Partial<Pick<RunPlan, "seed" | "cacheBust" | "marksRun">>,
  type: EndpointType,
  tokenizer: Tokenizer | undefined,
  marksWarmup: boolean,
): TurnMarkers | undefined {
  const target = cacheBust ?? (marksWarmup ? WARMUP_TARGET : undefined);
  if (target === undefined) return undefined;
  const marking = { target, seed, ...(marksRun ? { isOfRun: marksRun } : {}) };
  const tokens = isWarmupTarget(target)
    ? 0
    : tokenizer?.count(sessionMarker(marking, { phase: "profiling", session: 0 })) ?? 0;
  return new TurnMarkers(type, marking, tokens, cacheBust !== undefined);
}

/** Places of the markers in the bodies of conversations' turns. */
export class TurnMarkers {
  readonly marking: Marking;
  /** Tokens of a marker in the phase that is measured. */
  readonly tokens: number;
  readonly #type: EndpointType;
  readonly #isRequired: boolean;
  /** Places in the bodies of the conversation; -1 for none. */
  #places: number[] = [];

  /** @param isRequired whether a body that cannot be marked is refused */
  constructor(type: EndpointType, marking: Marking, tokens: number, isRequired: boolean) {
    this.#type = type;
    this.marking = marking;
    this.tokens = tokens;
    this.#isRequired = isRequired;
  }

  /** Forgets the turns of the conversation before. */
  beginConversation(): void {
    this.#places = [];
  }

  /** Byte at which the marker of an earlier turn of the conversation is put in; -1 for none. */
  placeIn(turn: number): number {
    return this.#places[turn] ?? -1;
  }

  /**
   * Returns the byte of a turn's body at which its marker is put in; -1 for none.
   * @throws {Error} of `refuse` if the turn requires a marker and cannot have one
   */
  add(
    body: TurnBody,
    place: number,
    { call, followsHistory, shared }: ConversationTurn,
    end: OwnEnd | undefined,
    refuse: Refuse,
  ): number {
    const own = (): number => this.#markerIn(body, call !== undefined, refuse);
    // What follows others carries their messages before its own, with the marker at the same place.
    const before = call === undefined && place > 0 && followsHistory
      ? place - 1
      : end?.hasComma
      ? shared?.turn
      : call?.base;
    let at = call?.isVirtual ? -1 : before === undefined ? own() : this.placeIn(before);
    if (end?.hasComma === false && at > end.cutBytes) at += end.keptBytes - end.cutBytes;
    this.#places[place] = at;
    return at;
  }

  /** Place of the marker in a body with all its messages. */
  #markerIn(
    { fields, isOpen }: TurnBody,
    mayBeUnmarked: boolean,
    refuse: Refuse,
  ): number {
    const isAsked = this.#isRequired && !mayBeUnmarked;
    const unmarked = (why: string): number => isAsked ? refuse(`--cache-bust ${why}`) : -1;
    if (fields === undefined || !isOpen) {
      return unmarked("cannot mark a body that is sent unchanged");
    }
    return markerOffset(this.#type, fields, this.marking.target) ??
      unmarked("finds no text to put its marker into");
  }
}
