/** Parts that APIs whose results are not text have in common: embeddings, ranks, images. */

import { JSON_BODY } from "./body_format.ts";
import { type Delta, isFields, readCommonFields } from "./delta.ts";
import type { EndpointType } from "./endpoint_type.ts";
import { judgeEnding, type ReplyProtocol } from "./reply_protocol.ts";

type Fields = Record<string, unknown>;

/** Parts of such an API whose requests contain a text, as JSON. */
export const RESULTS_API = {
  method: "POST",
  producesTokens: false,
  tokenizesInput: true,
  usesChatTemplate: false,
  media: [],
  body: JSON_BODY,
  countImages: () => 0,
  outputLimits: () => [],
} as const satisfies Partial<EndpointType>;

/**
 * Non-streamed replies with a list of results. A valid one is complete, and every entry of the list
 * is a result: one that is not makes a failed request, as an empty list does.
 * @param name of the results, in the plural
 * @param listOf the list in a reply that is an object, or in one that is a list itself
 * @param isResult whether an entry of the list is one
 */
export function resultReplies(
  name: string,
  listOf: (json: Fields | readonly unknown[]) => unknown,
  isResult: (entry: Fields) => boolean,
): ReplyProtocol {
  const read = (json: Fields | readonly unknown[], delta: Delta): void => {
    const list = listOf(json);
    if (!Array.isArray(list)) return;
    if (list.every((entry) => isFields(entry) && isResult(entry))) delta.items = list.length;
    else delta.error ??= `Reply has entries that are no ${name}`;
  };
  return {
    eventMeanings: new Map(),
    readDelta(json, delta) {
      readCommonFields(json, delta);
      if (delta.error === null) read(json, delta);
    },
    readList: read,
    judge(ending) {
      const error = judgeEnding(ending, ending.isWhole && ending.isComplete, "a list of results");
      return error?.kind === "no_content"
        ? { ...error, message: `Reply is complete but has no ${name}` }
        : error;
    },
  };
}
