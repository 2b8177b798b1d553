/**
 * Parts that ranking APIs have in common: they rank passages by a query, which is the first text.
 */

import type { BodyFields } from "../protocol/body_format.ts";
import type { EndpointType, PromptContent } from "../protocol/endpoint_type.ts";
import { askedByFields, type ReplyWriter } from "../protocol/reply_writer.ts";
import { RESULTS_API } from "../protocol/result_replies.ts";

/** See the module's comment. */
export const RANKINGS_API = {
  ...RESULTS_API,
  ranksPassages: true,
} as const satisfies Partial<EndpointType>;

/** The query of a request, and its passages. */
export function queryOf({ texts }: PromptContent): { query: string; passages: readonly string[] } {
  const [query = "", ...passages] = texts;
  return { query, passages };
}

/** A text of a body: a string, or a field `text`. */
export function rankedText(value: unknown): string[] {
  if (typeof value === "string") return [value];
  const text = (value as { text?: unknown } | null | undefined)?.text;
  return typeof text === "string" ? [text] : [];
}

/** Texts of a list in a body. */
export function rankedTexts(values: unknown): string[] {
  return Array.isArray(values) ? values.flatMap(rankedText) : [];
}

/**
 * Writes a rank for each passage, the last one first.
 * @param passagesOf the passages of a request
 * @param replyOf the reply with these ranks
 */
export function rankingsWriter(
  passagesOf: (fields: Readonly<BodyFields>) => unknown,
  replyOf: (
    ranks: readonly { readonly index: number; readonly score: number }[],
    reply: Parameters<ReplyWriter["whole"]>[0],
  ) => unknown,
): ReplyWriter {
  return {
    writesReasoning: false,
    asked: (fields) => ({
      ...askedByFields(fields),
      results: rankedTexts(passagesOf(fields)).length,
    }),
    whole(reply) {
      const ranks = Array.from({ length: reply.results }, (_, place) => ({
        index: reply.results - 1 - place,
        score: 1 / (place + 1),
      }));
      return { contentType: "application/json", body: JSON.stringify(replyOf(ranks, reply)) };
    },
  };
}
