import type { PromptsPlan } from "../../../config/plan/prompts_plan.ts";
import { randomStream } from "../../../core/statistics/random_stream.ts";
import type { BodyFrame, BodyShape } from "../payloads/body_template.ts";
import type { PromptSource } from "../corpus/prompt_source.ts";
import type { PromptPrefix, PromptSurroundings } from "./prompt_surroundings.ts";
import { ALONE, type PromptWindow, type WindowPlace } from "../corpus/prompt_windows.ts";
import type { WindowContext } from "../corpus/measured_windows.ts";
import type { CountedSalt, PromptSalts, SaltPiece } from "./prompt_salts.ts";

/** Step between the lengths of prefixes of adjacent prompts; odd, so that all of them come up. */
const LENGTH_STRIDE = 5;

/** A piece of a text: a window of the corpus, or a salt. */
export type TextPiece = PromptWindow | SaltPiece;

/** Pieces of a generated text, and its tokens. */
export interface DrawnText {
  readonly pieces: readonly TextPiece[];
  readonly tokens: number;
}

/** The texts of one request. */
export interface SyntheticPrompt {
  /** Pieces of text for each open place of the body, in the order of the places. */
  readonly slots: readonly (readonly TextPiece[])[];
  /** All tokens of the request's own messages. */
  readonly tokens: number;
  /** Whether a conversation begins with it. */
  readonly isFirst: boolean;
}

/**
 * Draws the texts of requests: the message before the prompt, prefixes, and the prompt itself.
 *
 * A prompt has the length that was asked for. What is put before it comes on top (prefix, context,
 * system message); markers and the chat template around it are part of its length.
 */
export class SyntheticPrompts {
  readonly #plan: PromptsPlan;
  readonly #seed: number;
  readonly #source: PromptSource;
  readonly #around: PromptSurroundings;
  readonly #texts: number;
  readonly #salts: PromptSalts | undefined;
  /** A salt of each length, for tokenizers that have to count. */
  readonly #samples = new Map<number, string>();
  /** Largest byte of the corpus, read round and round, that a text needs. */
  arenaEnd = 0;

  constructor(
    plan: PromptsPlan,
    seed: number,
    source: PromptSource,
    around: PromptSurroundings,
    salts?: PromptSalts,
  ) {
    this.#plan = plan;
    this.#salts = salts;
    this.#seed = seed;
    this.#source = source;
    this.#around = around;
    this.#texts = plan.textsPerRequest ?? 1;
    around.prefixes.flatMap(({ windows }) => windows).forEach((window) => this.#note(window));
  }

  /** The bodies of first turns, and those of later ones. */
  get shapes(): { readonly first: BodyShape; readonly later: BodyShape } {
    const texts = this.#texts;
    const { userContextTokens } = this.#plan;
    return {
      first: { system: this.#around.system, hasContext: userContextTokens !== undefined, texts },
      later: { system: undefined, hasContext: false, texts },
    };
  }

  /** Whether first and later turns have the same parts. */
  get isSame(): boolean {
    return this.#around.system === undefined && this.#plan.userContextTokens === undefined;
  }

  /** Segments that a body has at most. */
  get segmentsPerBody(): number {
    const salt = this.#salts === undefined ? 0 : 1;
    const context = this.#plan.userContextTokens === undefined ? 0 : 2 + salt;
    const perText = 2 + (this.#around.prefixes[0]?.windows.length ?? 0) + salt;
    return 1 + context + this.#texts * perText;
  }

  /** Salts of a request, at most. */
  get saltsPerBody(): number {
    if (this.#salts === undefined) return 0;
    return this.#texts + (this.#plan.userContextTokens === undefined ? 0 : 1);
  }

  /**
   * Returns the texts of the next request.
   * @param inputTokens target length, without additions on top
   */
  next(inputTokens: number, index: number, isFirst: boolean, isWarmup: boolean): SyntheticPrompt {
    const { template, marker, systemTokens } = this.#around;
    const { userContextTokens } = this.#plan;
    const slots: (readonly TextPiece[])[] = [];
    this.#salts?.begin(isFirst, isWarmup);
    let tokens = isFirst ? systemTokens + template.first : template.later;
    if (isFirst && userContextTokens !== undefined) {
      const context = this.saltedText(userContextTokens);
      slots.push(context.pieces);
      tokens += context.tokens;
    }
    const isMarked = isFirst && marker !== undefined && !marker.isInSystem;
    const markerTokens = isMarked && !marker.isWarmup ? marker.tokens : 0;
    if (marker?.isWarmup && isWarmup && isFirst) tokens += marker.tokens;
    for (let place = 0; place < this.#texts; place++) {
      // The template and the marker are around the first text alone.
      const cut = place > 0 ? 0 : markerTokens + (isFirst ? template.single : template.later);
      const { pieces, tokens: drawnTokens } = this.#text(
        inputTokens - cut,
        index * this.#texts + place,
        isFirst,
        isMarked && place === 0,
        isWarmup,
      );
      slots.push(pieces);
      tokens += drawnTokens + (place === 0 ? markerTokens : 0);
    }
    return { slots, tokens, isFirst };
  }

  /** Bytes of a first turn's body before its session's marker. */
  markerAt({ parts, system }: BodyFrame, slots: SyntheticPrompt["slots"]): number {
    const { marker } = this.#around;
    if (marker === undefined) return -1;
    if (marker.isInSystem) return (marker.isPrefix ? system?.start : system?.end) ?? -1;
    // The first text of the prompt: after the message before it, if there is one.
    const place = this.#plan.userContextTokens === undefined ? 0 : 1;
    const before = parts.slice(0, place + 1).reduce((sum, { length }) => sum + length, 0) +
      bytesOf(slots.slice(0, place).flat());
    return marker.isPrefix ? before : before + bytesOf(slots[place] ?? []);
  }

  /** A text of the prompt, after a prefix where there are some. */
  #text(
    wanted: number,
    number: number,
    isFirst: boolean,
    isMarked: boolean,
    isWarmup: boolean,
  ): DrawnText {
    const { prefixes, marker } = this.#around;
    const endsInWord = isMarked && marker?.isPrefix === false;
    const after = endsInWord ? marker?.sample ?? "" : "";
    if (!isFirst || prefixes.length === 0) {
      const before = isMarked && marker?.isPrefix ? marker.sample : "";
      const place = { ...ALONE, endsInWord };
      return this.saltedText(Math.max(1, wanted), place, { before, after });
    }
    const random = randomStream(this.#seed, "dataset.prefix", number);
    const chosen = Math.floor(random() * prefixes.length);
    const { ends, windows } = prefixes[chosen] as PromptPrefix;
    // Warm-up puts the longest prefix into the caches.
    const last = isWarmup ? windows.length - 1 : number * LENGTH_STRIDE % windows.length;
    const used = windows.slice(0, last + 1);
    const prefixTokens = used.reduce((sum, { tokens }) => sum + tokens, 0);
    const moreTokens = prefixTokens - (used[0]?.tokens ?? 0);
    // A prefix may end in punctuation, which a marker after it would merge with: a word is between.
    const { pieces, tokens } = this.saltedText(
      Math.max(endsInWord ? 1 : 0, wanted - moreTokens),
      { continues: true, endsInWord },
      { before: ends[last] as string, after },
    );
    return { pieces: [...used, ...pieces], tokens: prefixTokens + tokens };
  }

  /** Begins a request of one turn whose texts are asked for one by one. */
  beginRequest(isWarmup: boolean): void {
    this.#salts?.begin(true, isWarmup);
  }

  /** Returns the salt of a request with a text of another source; undefined where texts have none. */
  salt(isFirst: boolean, isWarmup: boolean): CountedSalt | undefined {
    this.#salts?.begin(isFirst, isWarmup);
    return this.#salts?.next(Infinity, false);
  }

  /** A text of a length that begins with a salt, where texts have salts. */
  saltedText(
    wanted: number,
    place: WindowPlace = ALONE,
    { before, after }: WindowContext = { before: "", after: "" },
  ): DrawnText {
    const salt = this.#salts?.next(wanted, place.continues);
    if (salt === undefined) {
      const window = this.#source.next(wanted, place, { before, after });
      this.#note(window);
      return { pieces: [window], tokens: window.tokens };
    }
    // All salts of a length merge alike with what comes after them, so one stands for all.
    const window = this.#source.next(
      wanted - salt.tokens,
      { ...place, continues: true },
      { before: before + this.#sampleOf(salt, place.continues), after },
    );
    this.#note(window);
    return { pieces: [salt, window], tokens: salt.tokens + window.tokens };
  }

  #sampleOf({ salt, length }: SaltPiece, continues: boolean): string {
    const key = continues ? length : -length;
    const sample = this.#samples.get(key);
    if (sample === undefined) this.#samples.set(key, salt);
    return sample ?? salt;
  }

  #note({ offset, length }: PromptWindow): void {
    this.arenaEnd = Math.max(this.arenaEnd, offset + length);
  }
}

function bytesOf(pieces: readonly TextPiece[]): number {
  return pieces.reduce((sum, { length }) => sum + length, 0);
}
