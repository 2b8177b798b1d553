/**
 * Markers that prevent prefix cache hits on the text after them: `[rid:` and twelve digits.
 *
 * A session's marker depends on the seed, the phase and the number of the session, not on the
 * thread that sends it; so a conversation that is replayed twice is new to the cache each time. The
 * digits are decimal: current vocabularies have tokens for all groups of digits, so that all
 * markers are equally long, and prompts keep their exact lengths.
 */

import type { BodyFields } from "../../../client/endpoint/protocol/body_format.ts";
import type { EndpointType } from "../../../client/endpoint/protocol/endpoint_type.ts";
import type { CacheBustTarget } from "../../../config/plan/prompts_plan.ts";
import { randomStream } from "../../../core/statistics/random_stream.ts";

/** The places of the markers of a table. */
export interface MarkerColumns {
  readonly target: CacheBustTarget;
  readonly seed: number;
  /** Whether all sessions of a phase have the same marker; absent for one each. */
  readonly isOfRun?: true | undefined;
  /**
   * Bytes of each entry's whole body, history included, before the marker; -1 for none.
   */
  readonly at: Int32Array<SharedArrayBuffer>;
}

/** A session whose marker is wanted. */
export interface MarkedSession {
  readonly phase: "warmup" | "profiling";
  readonly session: number;
}

const MODULUS = 1_000_000_000_000n;
const DIGITS = 12;
/** Text that distinguishes warm-up prompts if nothing else does. */
const WARMUP_MARKER = "[warmup]\n\n";
/** Where APIs of single texts have them. */
const TEXT_FIELDS = ["prompt", "input", "inputs"];
/** Stands for a marker while its place is looked for. */
const STAND_IN = "inferometermarker5b20e97d1c";
const encoder = new TextEncoder();

/**
 * Whether a marker is placed in the system message, if there is one, and not in the first prompt.
 */
export function isSystemTarget(target: CacheBustTarget): boolean {
  return target.includes("system");
}

/** Whether a marker precedes the text that contains it, and does not follow it. */
export function isPrefixTarget(target: CacheBustTarget): boolean {
  return !target.endsWith("-suffix");
}

/** Whether only warm-up has markers. */
export function isWarmupTarget(target: CacheBustTarget): boolean {
  return target.startsWith("warmup-");
}

/** A session's marker; empty for none. */
export function sessionMarker(
  { target, seed, isOfRun }: Pick<MarkerColumns, "target" | "seed" | "isOfRun">,
  { phase, session: own }: MarkedSession,
): string {
  if (isWarmupTarget(target)) return phase === "warmup" ? WARMUP_MARKER : "";
  const [factor, offset] = coefficients(seed);
  const session = isOfRun ? 0 : own;
  // A permutation of all numbers of twelve digits: none comes twice.
  const number = BigInt(session * 2 + (phase === "warmup" ? 1 : 0));
  const digits = String((factor * number + offset) % MODULUS).padStart(DIGITS, "0");
  return isPrefixTarget(target) ? `[rid:${digits}]\n\n` : `\n\n[rid:${digits}]`;
}

/** The pieces of a body with the marker of the session that sends it. */
export function markedBody(
  body: readonly Uint8Array[],
  markers: MarkerColumns,
  entry: number,
  session: MarkedSession,
): Uint8Array[] {
  const at = markers.at[entry] ?? -1;
  const marker = at < 0 ? "" : sessionMarker(markers, session);
  if (marker === "") return [...body];
  const bytes = encoder.encode(marker.replaceAll("\n", "\\n"));
  const pieces: Uint8Array[] = [];
  let offset = 0;
  let isIn = false;
  for (const piece of body) {
    const within = at - offset;
    offset += piece.length;
    if (isIn || within > piece.length) {
      pieces.push(piece);
      continue;
    }
    pieces.push(piece.subarray(0, within), bytes, piece.subarray(within));
    isIn = true;
  }
  return pieces.filter(({ length }) => length > 0);
}

/**
 * Returns the number of bytes of a body before its session's marker; undefined if no text can
 * contain it.
 *
 * The marker is in the system message if that is the target and exists, else in the user's first
 * message.
 */
export function markerOffset(
  type: EndpointType,
  fields: Readonly<BodyFields>,
  target: CacheBustTarget,
): number | undefined {
  const { messagesField = "messages", systemField } = type.conversation ?? {};
  const marked = (changed: BodyFields): number =>
    new TextDecoder("latin1").decode(type.body.encode({ ...fields, ...changed })).indexOf(STAND_IN);
  const isPrefix = isPrefixTarget(target);
  const messages = fields[messagesField];
  if (!Array.isArray(messages)) {
    // An API of single texts.
    const name = TEXT_FIELDS.find((name) => markedText(fields[name], isPrefix) !== undefined);
    return name === undefined ? undefined : marked({ [name]: markedText(fields[name], isPrefix) });
  }
  const placeOf = (role: string) =>
    messages.findIndex((message) => (message as { role?: unknown } | null)?.role === role);
  if (isSystemTarget(target) && systemField !== undefined) {
    const content = markedContent(fields[systemField], isPrefix);
    if (content !== undefined) return marked({ [systemField]: content });
  }
  const system = isSystemTarget(target) ? placeOf("system") : -1;
  const place = system < 0 ? placeOf("user") : system;
  const message = messages[place] as { content?: unknown } | undefined;
  const content = markedContent(message?.content, isPrefix);
  if (content === undefined) return undefined;
  return marked({ [messagesField]: messages.with(place, { ...message, content }) });
}

/** A text, or several, with a mark in the first; undefined if there is none. */
function markedText(texts: unknown, isPrefix: boolean): unknown {
  if (!Array.isArray(texts)) return markedContent(texts, isPrefix);
  const [first, ...others] = texts;
  return typeof first === "string" ? [markedContent(first, isPrefix), ...others] : undefined;
}

/** A content with a mark in its first text; undefined if it has none. */
function markedContent(content: unknown, isPrefix: boolean): unknown {
  const marked = (text: string) => isPrefix ? STAND_IN + text : text + STAND_IN;
  if (typeof content === "string") return marked(content);
  if (!Array.isArray(content)) return undefined;
  const place = content.findIndex((part) =>
    typeof (part as { text?: unknown } | null)?.text === "string"
  );
  if (place < 0) return undefined;
  const part = content[place] as { text: string };
  return content.with(place, { ...part, text: marked(part.text) });
}

let lastSeed = NaN;
let last: readonly [factor: bigint, offset: bigint] = [1n, 0n];

/** The permutation of a seed: a factor without a divisor in common with ten, and an offset. */
function coefficients(seed: number): readonly [factor: bigint, offset: bigint] {
  if (seed === lastSeed) return last;
  const random = randomStream(seed, "dataset.marker");
  const drawn = () => BigInt(Math.floor(random() * Number(MODULUS)));
  // Ends in 1: no divisor in common with ten.
  last = [drawn() / 10n * 10n + 1n, drawn()];
  lastSeed = seed;
  return last;
}
