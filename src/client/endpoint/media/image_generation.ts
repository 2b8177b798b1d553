import type { EndpointType } from "../protocol/endpoint_type.ts";
import { IMAGE_REPLIES, imageStreamWriter } from "./image_replies.ts";
import { RESULTS_API } from "../protocol/result_replies.ts";

/** OpenAI's image generation: a text in, images out. */
export const imageGeneration: EndpointType = {
  ...RESULTS_API,
  name: "image-generation",
  summary: "OpenAI image generation",
  exampleOptions: "--extra-inputs size:512x512",
  path: "/v1/images/generations",
  producesImages: true,

  buildBody: ({ texts, extra }, { model, streaming, extraInputs }) => ({
    "prompt": texts.join(" "),
    "model": model,
    "response_format": "b64_json",
    "n": 1,
    ...(streaming ? { "stream": true } : {}),
    ...extraInputs,
    ...extra,
  }),

  inputTexts: ({ prompt }) => typeof prompt === "string" ? [prompt] : [],
  replies: IMAGE_REPLIES,
  writer: imageStreamWriter("image_generation"),
};
