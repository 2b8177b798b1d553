import type { BodySettings, EndpointType } from "../endpoint/endpoint_type.ts";
import type { PayloadTableBuilder, Segment } from "./payload_table.ts";

const MARK = "\u0001prompt\u0001";
const encoder = new TextEncoder();

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

  /** The frame of bodies that ask for so many tokens. */
  frame(outputTokens: number | undefined): BodyFrame {
    let frame = this.#frames.get(outputTokens);
    if (frame === undefined) {
      const content = { texts: [MARK], images: [], outputTokens, extra: {} };
      const body = JSON.stringify(this.#type.buildBody(content, this.#settings));
      const [before, after] = body.split(JSON.stringify(MARK)) as [string, string];
      frame = {
        before: this.#builder.addSegment(encoder.encode(`${before}"`)),
        after: this.#builder.addSegment(encoder.encode(`"${after}`)),
      };
      this.#frames.set(outputTokens, frame);
    }
    return frame;
  }
}
