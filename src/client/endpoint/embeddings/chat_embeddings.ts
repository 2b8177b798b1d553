import { chat } from "../openai/chat.ts";
import { EMBEDDINGS_REPLIES, embeddingsWriter } from "./embeddings_replies.ts";
import type { EndpointType } from "../protocol/endpoint_type.ts";
import { RESULTS_API } from "../protocol/result_replies.ts";

/** vLLM's embeddings of chats, its only ones of images: messages in, one vector out. */
export const chatEmbeddings: EndpointType = {
  ...RESULTS_API,
  name: "chat-embeddings",
  summary: "vLLM embeddings of chat messages",
  path: "/v1/embeddings",
  usesChatTemplate: true,
  media: chat.media,
  buildBody: (content, settings) =>
    chat.buildBody({ ...content, outputTokens: undefined }, settings),
  ...(chat.inputPieces === undefined ? {} : { inputPieces: chat.inputPieces }),
  inputTexts: chat.inputTexts,
  countImages: chat.countImages,
  recognizes: ({ messages }) => messages !== undefined,
  replies: EMBEDDINGS_REPLIES,
  writer: embeddingsWriter(() => 1),
};
