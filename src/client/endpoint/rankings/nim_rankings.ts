import type { EndpointType } from "../protocol/endpoint_type.ts";
import { queryOf, rankedText, rankedTexts, RANKINGS_API, rankingsWriter } from "./rankings_api.ts";
import { resultReplies } from "../protocol/result_replies.ts";

/** NVIDIA NIM's ranking. */
export const nimRankings: EndpointType = {
  ...RANKINGS_API,
  name: "nim-rankings",
  aliases: ["rankings"],
  summary: "NVIDIA NIM ranking of passages",
  path: "/v1/ranking",

  buildBody(content, { model, extraInputs }) {
    const { query, passages } = queryOf(content);
    return {
      "model": model,
      "query": { "text": query },
      "passages": passages.map((text) => ({ "text": text })),
      ...extraInputs,
      ...content.extra,
    };
  },

  inputTexts: ({ query, passages }) => [...rankedText(query), ...rankedTexts(passages)],
  replies: resultReplies(
    "ranks",
    (json) => "rankings" in json ? json["rankings"] : undefined,
    ({ index, logit, score }) => typeof index === "number" && typeof (logit ?? score) === "number",
  ),
  writer: rankingsWriter(({ passages }) => passages, (ranks, { promptTokens }) => ({
    "rankings": ranks.map(({ index, score }) => ({ "index": index, "logit": score })),
    "usage": { "prompt_tokens": promptTokens, "total_tokens": promptTokens },
  })),
};
