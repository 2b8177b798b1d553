import type { BodyFields, BodyFormat } from "./body_format.ts";
import type { ConversationFormat } from "./conversation_format.ts";
import type { BodySettings, PromptContent } from "./prompt_content.ts";
import type { ReplyProtocol } from "./reply_protocol.ts";
import type { ReplyWriter } from "./reply_writer.ts";

export type { BodySettings, PromptContent };

/** What an input may hold besides text. */
export type MediaKind = "image" | "audio";

/**
 * One kind of API: how its requests are made, and how its replies are read, judged and written.
 *
 * A new one is a file with one of these and a line in `endpoint_types.ts`: load workers, recorded
 * replies, the rehearsal, the mock server and the command line all go by this.
 */
export interface EndpointType {
  /** Its name on the command line. */
  readonly name: string;
  /** Other names of it there. */
  readonly aliases?: readonly string[];
  /** What it is, in a few words. */
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
  /** Whether replies are made of tokens; without, metrics of tokens mean nothing. */
  readonly producesTokens: boolean;
  /** Whether replies are made of images: metrics of images are about those. */
  readonly producesImages?: true;
  /** Whether the input has a length in tokens; without, it has no text. */
  readonly tokenizesInput: boolean;
  /** Whether servers put a template around the input, whose tokens they count with it. */
  readonly usesChatTemplate: boolean;
  /** What inputs may hold besides text. */
  readonly media: readonly MediaKind[];
  /** That of them without which there is no request. */
  readonly requiredMedia?: MediaKind;
  /** Whether inputs are a query and passages: the first text, and all others. */
  readonly ranksPassages?: true;
  /** How bodies become bytes. */
  readonly body: BodyFormat;
  /** How several turns become one body; absent where the API takes one prompt at a time. */
  readonly conversation?: ConversationFormat;
  /** Headers of every request that the API asks for, unless the user gives them. */
  readonly headers?: readonly (readonly [name: string, value: string])[];
  /** The header that carries the key, alone; without it, `Authorization` does, behind `Bearer`. */
  readonly keyHeader?: string;
  /** Whether its bodies ask for token counts in streams, at the end or in every chunk. */
  readonly asksForUsage?: true;
  /** Fields that the run removes from bodies; absent for none. */
  readonly omittedInputs?: readonly string[];
  /** What runs set of it. */
  readonly setup?: EndpointSetup;
  /** Whether lines of input files are bodies, which are sent as they are. */
  readonly takesBodies?: true;
  /**
   * The fields of a request body, in the order in which AIPerf sends them; but messages come before
   * what is not the same in all bodies of a conversation.
   */
  buildBody(content: PromptContent, settings: BodySettings): BodyFields;
  /** The texts of a ready body whose tokens make the input sequence length. */
  inputTexts(fields: Readonly<BodyFields>): string[];
  /** The images of a ready body. */
  countImages(fields: Readonly<BodyFields>): number;
  /** The fields of a ready body that limit its output, present or not, the first one counts. */
  outputLimits(fields: Readonly<BodyFields>): readonly (readonly [name: string, value: unknown])[];
  /** Answers that a ready body asks for; missing where every request has one. */
  askedChoices?(fields: Readonly<BodyFields>): number;
  /** Whether a body is one of this type, where servers have several types at one path. */
  recognizes?(fields: Readonly<BodyFields>): boolean;
  /** How replies are read and judged. */
  readonly replies: ReplyProtocol;
  /** How replies are written. */
  readonly writer: ReplyWriter;
}

/** What a run sets of an endpoint type that can read or write more than one API. */
export interface EndpointSetup {
  /** The extra inputs that set it, and are not sent. */
  readonly names: readonly string[];
  /** Of these, the ones that may name a file instead, whose text is taken. */
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
