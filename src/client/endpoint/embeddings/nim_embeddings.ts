import { inputList } from "./embeddings.ts";
import { EMBEDDINGS_REPLIES, embeddingsWriter } from "./embeddings_replies.ts";
import type { EndpointType } from "../protocol/endpoint_type.ts";
import { RESULTS_API } from "../protocol/result_replies.ts";

/** An image within an input. */
const IMAGE = / ?<img src='[^']*'\/>/g;

/** NVIDIA NIM's embeddings: OpenAI's, whose inputs may have an image in them. */
export const nimEmbeddings: EndpointType = {
  ...RESULTS_API,
  name: "nim-embeddings",
  summary: "NVIDIA NIM embeddings of texts and images",
  exampleOptions: "--extra-inputs input_type:query",
  path: "/v1/embeddings",
  media: ["image"],

  buildBody: ({ texts, images, extra }, { model, extraInputs }) => ({
    "model": model,
    "input": inputsOf(texts, images),
    ...extraInputs,
    ...extra,
  }),

  inputTexts: ({ input }) =>
    inputList(input).map((text) => text.replaceAll(IMAGE, "")).filter((text) => text !== ""),
  countImages: ({ input }) => inputList(input).join("").match(IMAGE)?.length ?? 0,
  replies: EMBEDDINGS_REPLIES,
  writer: embeddingsWriter(({ input }) => inputList(input).length),
};

/** An input for each text with the image that belongs to it; what is left over stands alone. */
function inputsOf(texts: readonly string[], images: readonly string[]): string[] {
  return Array.from({ length: Math.max(texts.length, images.length) }, (_, index) => {
    const image = images[index] === undefined ? [] : [`<img src='${images[index]}'/>`];
    const text = texts[index] === undefined ? [] : [texts[index]];
    return [...text, ...image].join(" ");
  });
}
