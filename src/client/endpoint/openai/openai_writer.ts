import { isFields } from "../protocol/delta.ts";
import {
  askedByFields,
  type ReplyPiece,
  type ReplyWriter,
  type ScriptedCall,
  type ScriptedReply,
  type StreamFrames,
} from "../protocol/reply_writer.ts";
import {
  opensCall,
  piecesByChoice,
  replyParts,
  textOf,
  tokensOf,
  type WholeCall,
} from "../protocol/scripted_text.ts";

/** How the replies of one of OpenAI's endpoints differ from those of the others. */
export interface OpenAiShape {
  readonly idPrefix: string;
  /** The `object` of a stream's events. */
  readonly chunkObject: string;
  /** The `object` of a whole reply. */
  readonly wholeObject: string;
  readonly writesReasoning: boolean;
  /** Whether requests may have tools. */
  readonly writesCalls?: true;
  /** The field of a choice that comes before any content; undefined for none. */
  readonly opening: string | undefined;
  /** The field of a choice without content. */
  readonly empty: string;
  /** The field of a choice with a piece of content. */
  piece(piece: ReplyPiece): string;
  /** The field of a choice with all of the content. */
  whole(text: string, reasoning: string, calls: readonly WholeCall[]): string;
}

/** Writes replies as servers of OpenAI's APIs do. */
export function openAiWriter(shape: OpenAiShape): ReplyWriter {
  return {
    writesReasoning: shape.writesReasoning,
    writesChoices: true,
    ...(shape.writesCalls === true ? { writesCalls: "pieces" as const } : {}),
    asked(fields) {
      const options = isFields(fields["stream_options"]) ? fields["stream_options"] : {};
      return askedByFields(fields, {
        includeUsage: options["include_usage"] === true,
        usageInChunks: options["continuous_usage_stats"] === true,
      });
    },
    stream: {
      contentType: "text/event-stream; charset=utf-8",
      frames: (reply) => framesOf(shape, reply),
      failure: (message) => [
        event(`{"error":{"message":${JSON.stringify(message)},"type":"mock_error","code":500}}`),
        DONE,
      ],
      malformed: event("{broken"),
    },
    whole(reply) {
      const choices = piecesByChoice(reply).map((pieces, index) => {
        const { thoughts, answer, calls } = replyParts(pieces);
        return `{"index":${index},${shape.whole(textOf(answer), textOf(thoughts), calls)},` +
          `"logprobs":null,"finish_reason":"${reply.finishReason}"}`;
      });
      const { thoughts } = replyParts(reply.pieces);
      const usage = usageField(reply, tokensOf(reply.pieces), tokensOf(thoughts));
      return {
        contentType: "application/json",
        body: `${head(shape.idPrefix, shape.wholeObject, reply)}${choices.join(",")}]${usage}${
          draftsField(reply)
        }}`,
      };
    },
  };
}

/** The events of a streamed reply. */
function framesOf(shape: OpenAiShape, reply: ScriptedReply): StreamFrames {
  const before = head(shape.idPrefix, shape.chunkObject, reply);
  const choice = (index: number, field: string, finish: string, more = "") =>
    event(
      `${before}{"index":${index},${field},"logprobs":null,"finish_reason":${finish}}]${more}}`,
    );
  const choices = [...piecesByChoice(reply).keys()];
  const reasoningTokens = tokensOf(replyParts(reply.pieces).thoughts);
  const usage = (completionTokens: number) => usageField(reply, completionTokens, reasoningTokens);
  let sent = 0;
  const content = reply.pieces.map((piece, place) => {
    sent += piece.tokens;
    const counts = reply.usageInChunks ? usage(sent) : "";
    const field = piece.call === undefined
      ? shape.piece(piece)
      : callPiece(piece, piece.call, opensCall(reply.pieces, place));
    return choice(piece.choice ?? 0, field, "null", counts);
  });
  return {
    opening: choices.flatMap((index) =>
      shape.opening === undefined ? [] : [choice(index, shape.opening, "null")]
    ),
    content,
    closing: [
      ...choices.map((index) => choice(index, shape.empty, `"${reply.finishReason}"`)),
      ...(reply.includeUsage ? [event(`${before}]${usage(sent)}${draftsField(reply)}}`)] : []),
      DONE,
    ],
  };
}

/** The field of a choice with a piece of a tool call; the first one names the tool. */
function callPiece({ text }: ReplyPiece, call: ScriptedCall, isFirst: boolean): string {
  const named = isFirst
    ? { "id": call.id, "type": "function", "function": { "name": call.name, "arguments": text } }
    : { "function": { "arguments": text } };
  return `"delta":{"tool_calls":[${JSON.stringify({ "index": call.index, ...named })}]}`;
}

const DONE = event("[DONE]");

function event(data: string): string {
  return `data: ${data}\n\n`;
}

/** Part of an event before its first choice. */
function head(idPrefix: string, object: string, reply: ScriptedReply): string {
  return `{"id":"${idPrefix}-${reply.id}","object":"${object}","created":${reply.createdSeconds},` +
    `"model":${JSON.stringify(reply.model)},"choices":[`;
}

/** The field `metrics` as vLLM has it for drafts, and the comma before it; empty without drafts. */
function draftsField({ drafts: counts }: ScriptedReply): string {
  if (counts === undefined) return "";
  const { accepted, draftTokens, drafts, histogram } = counts;
  return `,"metrics":{"speculative_decoding":{"num_spec_steps":${drafts},` +
    `"num_draft_tokens":${draftTokens},"num_accepted_draft_tokens":${accepted},` +
    `"acceptance_histogram":[${histogram.join(",")}]}}`;
}

/** The field `usage`, and the comma before it. */
function usageField(
  { promptTokens, cachedTokens }: ScriptedReply,
  completionTokens: number,
  reasoningTokens: number,
): string {
  const prompt = cachedTokens === undefined
    ? ""
    : `,"prompt_tokens_details":{"cached_tokens":${cachedTokens}}`;
  const details = reasoningTokens > 0
    ? `,"completion_tokens_details":{"reasoning_tokens":${
      Math.min(reasoningTokens, completionTokens)
    }}`
    : "";
  return `,"usage":{"prompt_tokens":${promptTokens},` +
    `"total_tokens":${promptTokens + completionTokens},` +
    `"completion_tokens":${completionTokens}${prompt}${details}}`;
}
