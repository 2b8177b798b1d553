import type { EndpointType } from "../protocol/endpoint_type.ts";
import { queryOf, rankedText, rankedTexts, RANKINGS_API, rankingsWriter } from "./rankings_api.ts";
import { resultReplies } from "../protocol/result_replies.ts";

/** The rerank of Hugging Face's Text Embeddings Inference. */
export const hfTeiRankings: EndpointType = {
  ...RANKINGS_API,
  name: "hf-tei-rankings",
  summary: "Hugging Face TEI rerank",
  path: "/rerank",

  buildBody(content, { extraInputs }) {
    const { query, passages } = queryOf(content);
    return { "query": query, "texts": passages, ...extraInputs, ...content.extra };
  },

  inputTexts: ({ query, texts }) => [...rankedText(query), ...rankedTexts(texts)],
  replies: resultReplies(
    "ranks",
    (json) => Array.isArray(json) ? json : (json as Record<string, unknown>)["results"],
    ({ index, score }) => typeof index === "number" && typeof score === "number",
  ),
  writer: rankingsWriter(({ texts }) => texts, (ranks) => ranks),
};
