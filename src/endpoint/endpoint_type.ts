import type { BodyFields, BodyFormat } from "./body_format.ts";
import type { ConversationFormat } from "./conversation_format.ts";
import type { BodySettings, PromptContent } from "./prompt_content.ts";
import type { ReplyProtocol } from "./reply_protocol.ts";
import type { ReplyWriter } from "./reply_writer.ts";

export type { BodySettings, PromptContent };

/**
 * One kind of API: how its requests are made, and how its replies are read, judged and written.
 *
 * A new one is a file with one of these and a line in `endpoint_types.ts`: load workers, recorded
 * replies, the rehearsal, the mock server and the command line all go by this.
 */
export interface EndpointType {
  /** Its name on the command line. */
  readonly name: string;
  readonly method: "POST" | "GET";
  /** The path below the server's base URL. */
  readonly path: string;
  /** The path of requests for streams, where that is another one. */
  readonly streamingPath?: string;
  /** Whether replies are made of tokens; without, metrics of tokens mean nothing. */
  readonly producesTokens: boolean;
  /** Whether the input has a length in tokens. */
  readonly tokenizesInput: boolean;
  /** Whether servers put a template around the input, whose tokens they count with it. */
  readonly usesChatTemplate: boolean;
  readonly supportsImages: boolean;
  /** How bodies become bytes. */
  readonly body: BodyFormat;
  /** How several turns become one body; absent where the API takes one prompt at a time. */
  readonly conversation?: ConversationFormat;
  /** The fields of a request body, in the order in which AIPerf sends them. */
  buildBody(content: PromptContent, settings: BodySettings): BodyFields;
  /** The texts of a ready body whose tokens make the input sequence length. */
  inputTexts(fields: Readonly<BodyFields>): string[];
  /** The images of a ready body. */
  countImages(fields: Readonly<BodyFields>): number;
  /** The fields of a ready body that limit its output, present or not, the first one counts. */
  outputLimits(fields: Readonly<BodyFields>): readonly (readonly [name: string, value: unknown])[];
  /** How replies are read and judged. */
  readonly replies: ReplyProtocol;
  /** How replies are written. */
  readonly writer: ReplyWriter;
}

/** Tokens that a ready body asks for at most; undefined if it leaves that to the server. */
export function outputLimitOf(
  type: EndpointType,
  fields: Readonly<BodyFields>,
): number | undefined {
  return type.outputLimits(fields).map(([, value]) => value)
    .find((value) => typeof value === "number");
}
