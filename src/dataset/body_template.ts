import type { BodySettings, EndpointType } from "../endpoint/endpoint_type.ts";
import type { PayloadTableBuilder, Segment } from "./payload_table.ts";

/** Stands for the prompt: letters and digits alone, which every format leaves as they are. */
const MARK = "inferometerprompt7d41f0c95ae2";
/** Reads each byte as one character. */
const decoder = new TextDecoder("latin1");

/** The bytes of a request body before and after its one prompt. */
export interface BodyFrame {
  readonly before: Segment;
  readonly after: Segment;
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
      const content = { texts: [MARK], images: [], outputTokens, extra: {} };
      const body = this.#type.body.encode(this.#type.buildBody(content, this.#settings));
      const text = decoder.decode(body);
      const start = text.indexOf(MARK);
      if (start < 0 || start !== text.lastIndexOf(MARK)) {
        throw new RangeError(`Bodies of type ${this.#type.name} do not hold their prompt once`);
      }
      frame = {
        before: this.#builder.addSegment(body.subarray(0, start)),
        after: this.#builder.addSegment(body.subarray(start + MARK.length)),
      };
      this.#frames.set(outputTokens, frame);
    }
    return frame;
  }
}
