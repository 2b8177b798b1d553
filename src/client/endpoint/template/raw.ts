import { chat } from "../openai/chat.ts";
import type { EndpointType } from "../protocol/endpoint_type.ts";
import {
  foundChoices,
  foundImages,
  foundLimits,
  foundTexts,
  PLAIN_WRITER,
} from "./found_bodies.ts";
import { foundReplies, REPLY_SETTINGS } from "./found_replies.ts";
import { TEXT_API } from "../protocol/text_api.ts";

/** Bodies of the user's own, line by line as they are in a file; synthetic ones are those of chat. */
export const raw: EndpointType = {
  ...TEXT_API,
  name: "raw",
  summary: "Your own request bodies, sent unchanged",
  exampleOptions: "--input-file bodies.jsonl",
  path: "",
  usesChatTemplate: true,
  media: ["image", "audio"],
  takesBodies: true,
  setup: {
    names: REPLY_SETTINGS,
    fileNames: [],
    configured: (settings) => ({ ...raw, replies: foundReplies(settings) }),
  },
  buildBody: (content, settings) => chat.buildBody(content, settings),
  inputTexts: foundTexts,
  countImages: foundImages,
  outputLimits: foundLimits,
  askedChoices: foundChoices,
  replies: foundReplies({}),
  writer: PLAIN_WRITER,
};
