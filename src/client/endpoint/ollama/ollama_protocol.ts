/** Parts that both Ollama APIs, chat and generate, have in common. */

import type { BodyFields } from "../protocol/body_format.ts";
import { errorOf, isFields } from "../protocol/delta.ts";
import type { TurnSettings } from "../protocol/conversation_format.ts";
import type { BodySettings, EndpointType, PromptContent } from "../protocol/endpoint_type.ts";
import { readOllamaLine } from "./ollama_line.ts";
import { judgeEnding, type ReplyProtocol } from "../protocol/reply_protocol.ts";
import {
  askedByFields,
  type ReplyPiece,
  type ReplyWriter,
  type ScriptedReply,
} from "../protocol/reply_writer.ts";
import {
  lineFrame,
  replyParts,
  textOf,
  tokensOf,
  type WholeCall,
} from "../protocol/scripted_text.ts";
import { TEXT_API } from "../protocol/text_api.ts";

/** Lines of JSON; the last one marks the end. A non-streamed reply is only that line. */
const OLLAMA_REPLIES: ReplyProtocol = {
  eventMeanings: new Map([["error", "error"]]),
  beginsLines: ({ done }) => done === false,
  readDelta(json, delta) {
    delta.error = errorOf(json);
    readOllamaLine(json, delta);
    delta.isEnd = json["done"] === true;
  },
  judge(ending) {
    const isOrderly = ending.isWhole ? ending.isComplete : ending.endSeen;
    return judgeEnding(ending, isOrderly, "a line that is done");
  },
};

/** Parts of an endpoint type that both APIs have in common, apart from prompts and texts. */
export const OLLAMA_API = {
  ...TEXT_API,
  usesChatTemplate: true,
  media: ["image"],
  outputLimits: ({ options }) => [[
    "options.num_predict",
    isFields(options) ? options["num_predict"] : undefined,
  ]],
  replies: OLLAMA_REPLIES,
} as const satisfies Partial<EndpointType>;

/** Images as a field; Ollama takes only their bytes, not URLs. */
export function ollamaImages({ images }: Pick<PromptContent, "images">): BodyFields {
  if (images.length === 0) return {};
  return { "images": images.map((url) => url.replace(/^data:[^,]*;base64,/, "")) };
}

/** Adds what comes after the prompt: the limit among `options`, and extra inputs. */
export function finishOllamaBody(
  body: BodyFields,
  content: TurnSettings,
  settings: BodySettings,
): BodyFields {
  const { options: shared, ...extraInputs } = settings.extraInputs;
  const { options: own, ...extra } = content.extra;
  const options = {
    ...(content.outputTokens === undefined ? {} : { "num_predict": content.outputTokens }),
    ...(isFields(shared) ? shared : {}),
    ...(isFields(own) ? own : {}),
  };
  return {
    ...body,
    "stream": settings.streaming,
    ...(Object.keys(options).length === 0 ? {} : { "options": options }),
    ...extraInputs,
    ...extra,
  };
}

/**
 * Writes replies as Ollama does.
 * @param contentOf the fields of a line with this text
 */
export function ollamaWriter(
  contentOf: (
    text: string,
    thinking: string,
    calls: readonly WholeCall[],
  ) => Record<string, unknown>,
  calls: Pick<ReplyWriter, "writesCalls"> = {},
): ReplyWriter {
  const line = (
    reply: ScriptedReply,
    [text, thinking]: readonly [text: string, thinking: string],
    calls: readonly WholeCall[],
    isDone: boolean,
  ) => ({
    "model": reply.model,
    "created_at": new Date(reply.createdSeconds * 1000).toISOString(),
    ...contentOf(text, thinking, calls),
    "done": isDone,
    ...(isDone
      ? {
        "done_reason": reply.finishReason === "length" ? "length" : "stop",
        "total_duration": 1_000_000,
        "prompt_eval_count": reply.promptTokens,
        "eval_count": tokensOf(reply.pieces),
      }
      : {}),
  });
  return {
    writesReasoning: true,
    ...calls,
    // It streams unless it is told not to.
    asked: (fields) => ({ ...askedByFields(fields), streaming: fields["stream"] !== false }),
    stream: {
      contentType: "application/x-ndjson",
      frames: (reply) => ({
        opening: [],
        content: reply.pieces.map((piece) => lineFrame(line(reply, ...lineParts([piece]), false))),
        closing: [lineFrame(line(reply, ["", ""], [], true))],
      }),
      failure: (message) => [lineFrame({ "error": message })],
      malformed: "{broken\n",
    },
    whole(reply) {
      return {
        contentType: "application/json; charset=utf-8",
        body: JSON.stringify(line(reply, ...lineParts(reply.pieces), true)),
      };
    },
  };
}

/** Text, thoughts and calls of a line with some pieces. */
function lineParts(
  pieces: readonly ReplyPiece[],
): [texts: readonly [text: string, thinking: string], calls: readonly WholeCall[]] {
  const { thoughts, answer, calls } = replyParts(pieces);
  return [[textOf(answer), textOf(thoughts)], calls];
}
