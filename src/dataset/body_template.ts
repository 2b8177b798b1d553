import type { BodySettings, EndpointType } from "../endpoint/endpoint_type.ts";
import { type PromptFrame, promptFrame } from "../endpoint/prompt_frame.ts";
import type { PayloadTableBuilder, Segment } from "./payload_table.ts";

/** The bytes of a request body before and after its one prompt. */
export interface BodyFrame {
  readonly before: Segment;
  readonly after: Segment;
  /** See {@linkcode PromptFrame}. */
  readonly messages: PromptFrame["messages"];
}

/** Makes the frames of bodies that differ in their prompt and their output length alone. */
export class BodyTemplate {
  readonly #type: EndpointType;
  readonly #settings: BodySettings;
  readonly #builder: PayloadTableBuilder;
  readonly #frames = new Map<number | undefined, BodyFrame>();

  constructor(type: EndpointType, settings: BodySettings, builder: PayloadTableBuilder) {
    this.#type = type;
    this.#settings = settings;
    this.#builder = builder;
  }

  /** The frame of bodies that ask for this many tokens. */
  frame(outputTokens: number | undefined): BodyFrame {
    let frame = this.#frames.get(outputTokens);
    if (frame === undefined) {
      const bytes = promptFrame(this.#type, this.#settings, outputTokens);
      if (bytes === undefined) {
        throw new RangeError(`Bodies of type ${this.#type.name} do not hold their prompt once`);
      }
      frame = {
        before: this.#builder.addSegment(bytes.before),
        after: this.#builder.addSegment(bytes.after),
        messages: bytes.messages,
      };
      this.#frames.set(outputTokens, frame);
    }
    return frame;
  }
}
