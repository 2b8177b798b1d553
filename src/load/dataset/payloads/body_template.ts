import type {
  BodySettings,
  EndpointType,
} from "../../../client/endpoint/protocol/endpoint_type.ts";
import {
  type PromptFrame,
  promptFrame,
  type PromptLayout,
} from "../../../client/endpoint/protocol/prompt_frame.ts";
import { joinBytes } from "../../../client/http/join_bytes.ts";
import type { PayloadTableBuilder, Segment } from "./payload_table_builder.ts";

const encoder = new TextEncoder();

/** Parts that all bodies of a kind have in common. */
export interface BodyShape {
  /** System message; undefined for none. */
  readonly system: string | undefined;
  readonly hasContext: boolean;
  readonly texts: number;
}

/** The bytes of a request body around its texts; the system message is among them. */
export interface BodyFrame {
  /** Constant parts before each text and after the last. */
  readonly parts: readonly Segment[];
  /** See {@linkcode PromptFrame}. */
  readonly messages: PromptFrame["messages"];
  /** Bytes of the body between which its system message lies; undefined for none. */
  readonly system: { readonly start: number; readonly end: number } | undefined;
}

/** Builds the frames of bodies that differ only in their texts and their output length. */
export class BodyTemplate {
  readonly #type: EndpointType;
  readonly #settings: BodySettings;
  readonly #builder: PayloadTableBuilder;
  readonly #shape: BodyShape;
  readonly #frames = new Map<number | undefined, BodyFrame>();

  constructor(
    type: EndpointType,
    settings: BodySettings,
    builder: PayloadTableBuilder,
    shape: BodyShape = { system: undefined, hasContext: false, texts: 1 },
  ) {
    this.#type = type;
    this.#settings = settings;
    this.#builder = builder;
    this.#shape = shape;
  }

  /** The frame of bodies that ask for this many tokens. */
  frame(outputTokens: number | undefined): BodyFrame {
    let frame = this.#frames.get(outputTokens);
    if (frame === undefined) {
      frame = this.#make(outputTokens);
      this.#frames.set(outputTokens, frame);
    }
    return frame;
  }

  #make(outputTokens: number | undefined): BodyFrame {
    const { system, hasContext, texts } = this.#shape;
    const layout: PromptLayout = { hasSystem: system !== undefined, hasContext, texts };
    const bytes = promptFrame(this.#type, this.#settings, outputTokens, layout);
    if (bytes === undefined) {
      throw new RangeError(`Bodies of type ${this.#type.name} do not hold each prompt once`);
    }
    const { parts } = bytes;
    const add = (part: Uint8Array) => this.#builder.addSegment(part);
    if (system === undefined) {
      return { parts: parts.map(add), messages: bytes.messages, system: undefined };
    }
    const [before, after, ...others] = parts as [Uint8Array, Uint8Array, ...Uint8Array[]];
    const text = encoder.encode(JSON.stringify(system).slice(1, -1));
    const { start = 0 } = bytes.messages ?? {};
    return {
      parts: [joinBytes([before, text, after]), ...others].map(add),
      messages: bytes.messages &&
        { ...bytes.messages, start: start > before.length ? start + text.length : start },
      system: { start: before.length, end: before.length + text.length },
    };
  }
}
