import type { BodyFields, BodyFormat } from "./body_format.ts";
import type { BodyPiece } from "./body_pieces.ts";
import type { ConversationFormat } from "./conversation_format.ts";
import type { BodySettings, PromptContent } from "./prompt_content.ts";
import type { ReplyProtocol } from "./reply_protocol.ts";
import type { ReplyWriter } from "./reply_writer.ts";

export type { BodySettings, PromptContent };

/** Media that an input may contain in addition to text. */
export type MediaKind = "image" | "audio";

/**
 * An endpoint type: how its requests are built, and how its replies are read, validated and
 * written.
 *
 * A new one is a file with one of these and a line in `endpoint_types.ts`. Load workers, recorded
 * replies, the rehearsal, the mock server and the command line all use this definition.
 */
export interface EndpointType {
  /** Name on the command line. */
  readonly name: string;
  /** Other names of it there. */
  readonly aliases?: readonly string[];
  /** Short description of the endpoint type. */
  readonly summary: string;
  /** Options that its example needs besides those that all have. */
  readonly exampleOptions?: string;
  readonly method: "POST" | "GET";
  /**
   * The path below the server's base URL, `{model_name}` in the place of the model; empty for types
   * of no server, whose path is that of the URL.
   */
  readonly path: string;
  /** The path of requests for streams, where that is another one. */
  readonly streamingPath?: string;
  /** Whether replies consist of tokens; if not, metrics of tokens do not apply. */
  readonly producesTokens: boolean;
  /** Whether replies consist of images, which metrics of images then count. */
  readonly producesImages?: true;
  /** Whether the input has a length in tokens; without, it has no text. */
  readonly tokenizesInput: boolean;
  /** Whether servers put a template around the input, whose tokens they count with it. */
  readonly usesChatTemplate: boolean;
  /** Media that inputs may contain in addition to text. */
  readonly media: readonly MediaKind[];
  /** Medium that every request requires. */
  readonly requiredMedia?: MediaKind;
  /** Whether inputs are a query and passages: the first text, and all others. */
  readonly ranksPassages?: true;
  /** How bodies become bytes. */
  readonly body: BodyFormat;
  /** How several turns become one body; absent where the API takes one prompt at a time. */
  readonly conversation?: ConversationFormat;
  /** Headers of every request that the API asks for, unless the user gives them. */
  readonly headers?: readonly (readonly [name: string, value: string])[];
  /**
   * The header that carries the bare key; without it, `Authorization` carries the key after
   * `Bearer`.
   */
  readonly keyHeader?: string;
  /** Whether its bodies ask for token counts in streams, at the end or in every chunk. */
  readonly asksForUsage?: true;
  /** Fields that the run removes from bodies; absent for none. */
  readonly omittedInputs?: readonly string[];
  /** Settings of the endpoint type that a run may choose. */
  readonly setup?: EndpointSetup;
  /** Whether lines of input files are request bodies, which are sent unchanged. */
  readonly takesBodies?: true;
  /**
   * The fields of a request body, in the order in which AIPerf sends them; but messages come before
   * what is not the same in all bodies of a conversation.
   */
  buildBody(content: PromptContent, settings: BodySettings): BodyFields;
  /**
   * Returns the texts of {@linkcode inputTexts}, in their order, each with its part; missing where
   * bodies have no messages.
   */
  inputPieces?(fields: Readonly<BodyFields>): BodyPiece[];
  /** The texts of a ready body whose tokens make the input sequence length. */
  inputTexts(fields: Readonly<BodyFields>): string[];
  /** The images of a ready body. */
  countImages(fields: Readonly<BodyFields>): number;
  /**
   * Returns the fields of a ready body that limit its output, present or not; the first one takes
   * precedence.
   */
  outputLimits(fields: Readonly<BodyFields>): readonly (readonly [name: string, value: unknown])[];
  /** Answers that a ready body asks for; missing where every request has one. */
  askedChoices?(fields: Readonly<BodyFields>): number;
  /** Whether a body is one of this type, where servers have several types at one path. */
  recognizes?(fields: Readonly<BodyFields>): boolean;
  /** How replies are read and validated. */
  readonly replies: ReplyProtocol;
  /** How replies are written. */
  readonly writer: ReplyWriter;
}

/** Settings in a run for an endpoint type that can read or write more than one API. */
export interface EndpointSetup {
  /** The extra inputs that set it, and are not sent. */
  readonly names: readonly string[];
  /** Settings that may name a file instead of a text; the file's text is used. */
  readonly fileNames: readonly string[];
  /**
   * The type as a run uses it.
   * @throws {RangeError} naming the extra input that is wrong
   */
  configured(values: EndpointSettings): EndpointType;
}

/** Extra inputs that set an endpoint type, by their names. */
export type EndpointSettings = Readonly<Record<string, string>>;

/** The path of a type on a server that serves every type. */
export function servedPath(type: Pick<EndpointType, "name" | "path">): string {
  return type.path === "" ? `/${type.name}` : type.path;
}

/** Tokens that a ready body asks for at most; undefined if it leaves that to the server. */
export function outputLimitOf(
  type: EndpointType,
  fields: Readonly<BodyFields>,
): number | undefined {
  return type.outputLimits(fields).map(([, value]) => value)
    .find((value) => typeof value === "number");
}

/** Whether fields ask for another reply than a stream. */
export function deniesStreaming({ stream }: Readonly<Record<string, unknown>>): boolean {
  return stream !== undefined && stream !== true;
}
