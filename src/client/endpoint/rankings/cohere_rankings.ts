import type { EndpointType } from "../protocol/endpoint_type.ts";
import { isFields } from "../protocol/delta.ts";
import { queryOf, rankedText, rankedTexts, RANKINGS_API, rankingsWriter } from "./rankings_api.ts";
import { resultReplies } from "../protocol/result_replies.ts";
import type { ReplyProtocol } from "../protocol/reply_protocol.ts";
import { readUsage } from "../protocol/usage.ts";

/** Cohere's rerank, which vLLM and others serve as well. */
export const cohereRankings: EndpointType = {
  ...RANKINGS_API,
  name: "cohere-rankings",
  summary: "Cohere rerank",
  path: "/v2/rerank",

  buildBody(content, { model, extraInputs }) {
    const { query, passages } = queryOf(content);
    return {
      "model": model,
      "query": query,
      "documents": passages,
      ...extraInputs,
      ...content.extra,
    };
  },

  inputTexts: ({ query, documents }) => [...rankedText(query), ...rankedTexts(documents)],
  replies: cohereReplies(),
  writer: rankingsWriter(({ documents }) => documents, (ranks, { id, promptTokens }) => ({
    "id": id,
    "results": ranks.map(({ index, score }) => ({ "index": index, "relevance_score": score })),
    "meta": {
      "api_version": { "version": "2" },
      "tokens": { "input_tokens": promptTokens },
    },
  })),
};

function cohereReplies(): ReplyProtocol {
  const replies = resultReplies(
    "ranks",
    (json) => "results" in json ? json["results"] : undefined,
    ({ index, relevance_score: score }) => typeof index === "number" && typeof score === "number",
  );
  return {
    ...replies,
    readDelta(json, delta, eventName) {
      replies.readDelta(json, delta, eventName);
      // Other servers have `usage`.
      const { meta } = json;
      if (isFields(meta)) delta.usage ??= readUsage(meta["tokens"]);
    },
  };
}
