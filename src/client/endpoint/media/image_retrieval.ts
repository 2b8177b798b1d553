import type { EndpointType } from "../protocol/endpoint_type.ts";
import { askedByFields } from "../protocol/reply_writer.ts";
import { resultReplies, RESULTS_API } from "../protocol/result_replies.ts";

/** NVIDIA NIM's inference on images: what is where in each. */
export const imageRetrieval: EndpointType = {
  ...RESULTS_API,
  name: "image-retrieval",
  summary: "NVIDIA NIM objects in images",
  exampleOptions: "--image-width-mean 512 --image-height-mean 512",
  path: "/v1/infer",
  tokenizesInput: false,
  media: ["image"],
  requiredMedia: "image",

  buildBody: ({ images, extra }, { extraInputs }) => ({
    "input": images.map((url) => ({ "type": "image_url", "url": url })),
    ...extraInputs,
    ...extra,
  }),

  inputTexts: () => [],
  countImages: ({ input }) => Array.isArray(input) ? input.length : 0,
  replies: resultReplies(
    "results",
    (json) => "data" in json ? json["data"] : undefined,
    (entry) => Object.keys(entry).length > 0,
  ),
  writer: {
    writesReasoning: false,
    asked: (fields) => ({
      ...askedByFields(fields),
      results: Array.isArray(fields["input"]) ? fields["input"].length : 0,
    }),
    whole: ({ results }) => ({
      contentType: "application/json",
      body: JSON.stringify({
        "data": Array.from({ length: results }, (_, index) => ({
          "index": index,
          "bounding_boxes": {
            "table": [{
              "x_min": 0.1,
              "y_min": 0.1,
              "x_max": 0.9,
              "y_max": 0.4,
              "confidence": 0.9,
            }],
          },
        })),
        "usage": { "images": results },
      }),
    }),
  },
};
