/** Replies with embeddings, in OpenAI's form, and how they are written. */

import { resultReplies } from "../protocol/result_replies.ts";
import { askedByFields, type ReplyWriter } from "../protocol/reply_writer.ts";
import type { ReplyProtocol } from "../protocol/reply_protocol.ts";

/** Numbers of each vector that is written. */
const DIMENSIONS = 8;

/** A list `data` whose entries have a vector each, as numbers or in base64. */
export const EMBEDDINGS_REPLIES: ReplyProtocol = resultReplies(
  "embeddings",
  (json) => "data" in json ? json["data"] : undefined,
  ({ embedding }) => isVector(embedding) || (typeof embedding === "string" && embedding !== ""),
);

/** Numbers, or vectors: models of the kind of ColBERT have one for each token. */
function isVector(value: unknown): boolean {
  return Array.isArray(value) && value.length > 0 &&
    (typeof value[0] === "number"
      ? value.every((number) => typeof number === "number")
      : value.every(isVector));
}

/**
 * Writes an embedding for each input.
 * @param inputsOf how many inputs a request has
 */
export function embeddingsWriter(
  inputsOf: (fields: Readonly<Record<string, unknown>>) => number,
): ReplyWriter {
  return {
    writesReasoning: false,
    asked: (fields) => ({ ...askedByFields(fields), results: inputsOf(fields) }),
    whole: ({ model, promptTokens, results }) => ({
      contentType: "application/json",
      body: JSON.stringify({
        "object": "list",
        "data": Array.from({ length: results }, (_, index) => ({
          "object": "embedding",
          "index": index,
          "embedding": Array.from({ length: DIMENSIONS }, (_, place) => ((index + place) % 9) / 9),
        })),
        "model": model,
        "usage": { "prompt_tokens": promptTokens, "total_tokens": promptTokens },
      }),
    }),
  };
}
