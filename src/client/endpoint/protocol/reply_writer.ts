/** How replies of an endpoint type are written: by the embedded mock server, and for rehearsals. */

import type { BodyFields } from "./body_format.ts";

/** A piece of a reply's content, which a stream sends as an event of its own. */
export interface ReplyPiece {
  readonly text: string;
  readonly tokens: number;
  readonly isReasoning: boolean;
  /** The choice it belongs to; missing for choice 0. */
  readonly choice?: number;
  /** Tool call whose arguments the text belongs to; missing for reasoning and answers. */
  readonly call?: ScriptedCall;
}

/** A tool call of a reply. Its pieces follow each other; only the first names it in a stream. */
export interface ScriptedCall {
  /** Place among the calls of the reply, from 0. */
  readonly index: number;
  readonly id: string;
  readonly name: string;
}

/** Drafts of a reply. */
export interface ScriptedDrafts {
  readonly drafts: number;
  readonly draftTokens: number;
  readonly accepted: number;
  /** Drafts by the number of their accepted tokens, from none. */
  readonly histogram: readonly number[];
}

/** Content of a reply to write. */
export interface ScriptedReply {
  /** Names the reply. */
  readonly id: string;
  /** Creation time in seconds since 1970. */
  readonly createdSeconds: number;
  readonly model: string;
  readonly promptTokens: number;
  /** Prompt tokens that were in a cache; undefined where the server does not tell. */
  readonly cachedTokens?: number | undefined;
  /** Drafts of speculative decoding; missing without. */
  readonly drafts?: ScriptedDrafts | undefined;
  /**
   * Reasoning first, tool calls last; empty for endpoint types without tokens. Choices take turns.
   */
  readonly pieces: readonly ReplyPiece[];
  readonly finishReason: "stop" | "length" | "tool_calls";
  /** Whether a stream ends with the token counts. */
  readonly includeUsage: boolean;
  /** Whether every event of a stream carries the token counts so far. */
  readonly usageInChunks: boolean;
  /** Results that are no text, where the type has such. */
  readonly results: number;
}

/** Properties of a reply that a request's fields ask for, apart from limits. */
export interface AskedReply {
  /** undefined if the server is to choose. */
  readonly model: string | undefined;
  readonly streaming: boolean;
  readonly includeUsage: boolean;
  readonly usageInChunks: boolean;
  /** Results that are no text, such as one for each input; absent for none. */
  readonly results?: number;
}

/** Returns the properties that a request asks for by naming its model and whether to stream. */
export function askedByFields(
  { model, stream }: Readonly<BodyFields>,
  usage: Partial<Pick<AskedReply, "includeUsage" | "usageInChunks">> = {},
): AskedReply {
  return {
    model: typeof model === "string" ? model : undefined,
    // Forms have texts alone.
    streaming: stream === true || stream === "true",
    includeUsage: true,
    usageInChunks: false,
    ...usage,
  };
}

/** The body of a reply that is no stream. */
export interface WholeReply {
  readonly contentType: string;
  readonly body: string | Uint8Array<ArrayBuffer>;
}

/** The frames of a stream, each with whatever separates it from the next. */
export interface StreamFrames {
  /** Events before the first content. */
  readonly opening: readonly string[];
  /** A frame for each piece of content. */
  readonly content: readonly string[];
  /** Events after the last content. */
  readonly closing: readonly string[];
}

/** How streams of an endpoint type are written. */
export interface StreamWriter {
  readonly contentType: string;
  frames(reply: ScriptedReply): StreamFrames;
  /** The frames with which a server gives up in the middle of a stream, and ends it. */
  failure(message: string): readonly string[];
  /** Whether only the end of the body ends a stream, so that a client cannot detect truncation. */
  readonly endsWithBody?: true;
  /** A frame that cannot be read. */
  readonly malformed: string;
}

/** How replies of an endpoint type are written. */
export interface ReplyWriter {
  /** Whether reasoning comes before the answer where a server is asked to reason. */
  readonly writesReasoning: boolean;
  /** Whether it writes as many choices as a request asks for; all others write one. */
  readonly writesChoices?: true;
  /** How streams bring tool calls: piece by piece or each as a whole; missing for none. */
  readonly writesCalls?: "pieces" | "whole";
  /** Reads what a request asks for. */
  asked(fields: Readonly<BodyFields>, isStreamingPath: boolean): AskedReply;
  /** undefined if there are no streams of this type. */
  readonly stream?: StreamWriter;
  whole(reply: ScriptedReply): WholeReply;
  /** Writer for APIs with jobs; their whole replies report that the job is done. */
  readonly job?: JobWriter;
}

/** How the replies about a job are written. */
export interface JobWriter {
  /** Returns the path of requests about the job, after the path of the first request. */
  subpath(reply: ScriptedReply): string;
  /**
   * Returns the reply while the job is in progress, to the first request or to a status request.
   */
  pending(reply: ScriptedReply, isQueued: boolean): WholeReply;
  failed(reply: ScriptedReply, message: string): WholeReply;
  /** The result, under `/content` behind the path of the job. */
  content(reply: ScriptedReply): WholeReply;
}
