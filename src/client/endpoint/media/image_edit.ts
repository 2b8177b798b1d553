import type { EndpointType } from "../protocol/endpoint_type.ts";
import { IMAGE_REPLIES, imageStreamWriter } from "./image_replies.ts";
import { mediaData } from "../protocol/media_data.ts";
import { formFile, isFormFile, MULTIPART_BODY } from "../protocol/multipart_body.ts";
import { RESULTS_API } from "../protocol/result_replies.ts";

/** OpenAI's image edits: a form with a text and an image in, images out. */
export const imageEdit: EndpointType = {
  ...RESULTS_API,
  name: "image-edit",
  summary: "OpenAI image edits",
  exampleOptions: "--image-width-mean 512 --image-height-mean 512",
  path: "/v1/images/edits",
  media: ["image"],
  requiredMedia: "image",
  producesImages: true,
  body: MULTIPART_BODY,

  buildBody({ texts, images, extra }, { model, streaming, extraInputs }) {
    const [image = ""] = images;
    const data = mediaData(image);
    return {
      "prompt": texts.join(" "),
      "model": model,
      "response_format": "b64_json",
      "n": 1,
      ...(streaming ? { "stream": true } : {}),
      // An image of the web goes by its URL, which SGLang takes.
      ...(data === undefined ? { "url": image } : { "image": formFile(data, "image") }),
      ...extraInputs,
      ...extra,
    };
  },

  inputTexts: ({ prompt }) => typeof prompt === "string" ? [prompt] : [],
  countImages: ({ image, url }) => isFormFile(image) || typeof url === "string" ? 1 : 0,
  replies: IMAGE_REPLIES,
  writer: imageStreamWriter("image_edit"),
};
