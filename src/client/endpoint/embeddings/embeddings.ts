import { EMBEDDINGS_REPLIES, embeddingsWriter } from "./embeddings_replies.ts";
import type { EndpointType } from "../protocol/endpoint_type.ts";
import { RESULTS_API } from "../protocol/result_replies.ts";

/** OpenAI's embeddings: a vector for each text. */
export const embeddings: EndpointType = {
  ...RESULTS_API,
  name: "embeddings",
  summary: "OpenAI embeddings",
  path: "/v1/embeddings",

  buildBody: ({ texts, extra }, { model, extraInputs }) => ({
    "model": model,
    "input": texts,
    ...extraInputs,
    ...extra,
  }),

  inputTexts: ({ input }) => inputList(input),
  recognizes: ({ input }) => inputList(input).every((text) => !text.includes("<img src=")),
  replies: EMBEDDINGS_REPLIES,
  writer: embeddingsWriter(({ input }) => inputList(input).length),
};

/** The texts of an input, which may be one. */
export function inputList(input: unknown): string[] {
  if (typeof input === "string") return [input];
  return Array.isArray(input) ? input.filter((text) => typeof text === "string") : [];
}
