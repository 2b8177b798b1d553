/** Request bodies of unknown APIs, as read by a server that answers any request. */

import type { BodyFields } from "../protocol/body_format.ts";
import { bodyPieces } from "../protocol/body_pieces.ts";
import { contentTexts, countParts } from "../protocol/body_texts.ts";
import { promptCount } from "../openai/completions.ts";
import type { EndpointType } from "../protocol/endpoint_type.ts";
import { choicesOf } from "../openai/read_choices.ts";
import { askedByFields, type ReplyWriter } from "../protocol/reply_writer.ts";
import { eventFrame, textOf, tokensOf } from "../protocol/scripted_text.ts";

const TEXT_FIELDS = ["text", "texts", "prompt", "input", "inputs", "query", "question"];
const LIMIT_FIELDS = ["max_tokens", "max_completion_tokens", "max_new_tokens", "max_output_tokens"];

/** Texts under the usual names. */
export function foundTexts(fields: Readonly<BodyFields>): string[] {
  const { messages, tools } = fields;
  return [
    ...bodyPieces(tools, messages).map(({ text }) => text),
    ...TEXT_FIELDS.flatMap((name) => {
      const value = fields[name];
      return Array.isArray(value)
        ? value.filter((entry) => typeof entry === "string")
        : contentTexts(value);
    }),
  ];
}

/** Images among the parts of messages. */
export function foundImages({ messages }: Readonly<BodyFields>): number {
  return countParts(messages, "image_url") + countParts(messages, "image");
}

/** See {@linkcode EndpointType.outputLimits}. */
export const foundLimits: EndpointType["outputLimits"] = (fields) =>
  LIMIT_FIELDS.map((name) => [name, fields[name] ?? undefined] as const);

/** Answers that a body of OpenAI's kind asks for. */
export function foundChoices({ messages, prompt, n }: Readonly<BodyFields>): number {
  if (messages !== undefined) return choicesOf(n);
  return prompt === undefined ? 1 : promptCount(prompt) * choicesOf(n);
}

/** Writes a text in a field of that name, in events until `[DONE]` where a body asks to stream. */
export const PLAIN_WRITER: ReplyWriter = {
  writesReasoning: false,
  asked: (fields) => askedByFields(fields),
  stream: {
    contentType: "text/event-stream; charset=utf-8",
    endsWithBody: true,
    frames: (reply) => ({
      opening: [],
      content: reply.pieces.map(({ text }) => eventFrame({ "text": text })),
      closing: ["data: [DONE]\n\n"],
    }),
    failure: (message) => [eventFrame({ "error": message }), "data: [DONE]\n\n"],
    malformed: "data: {broken\n\n",
  },
  whole: (reply) => ({
    contentType: "application/json",
    body: JSON.stringify({
      "text": textOf(reply.pieces),
      "usage": {
        "prompt_tokens": reply.promptTokens,
        "completion_tokens": tokensOf(reply.pieces),
        "total_tokens": reply.promptTokens + tokensOf(reply.pieces),
      },
    }),
  }),
};
