import { JSON_BODY } from "./body_format.ts";
import type { EndpointType } from "./endpoint_type.ts";
import {
  bareBase64,
  finishOllamaBody,
  OLLAMA_REPLIES,
  ollamaOutputLimits,
  ollamaWriter,
} from "./ollama_protocol.ts";

/** Ollama's own completions. */
export const ollamaGenerate: EndpointType = {
  name: "ollama-generate",
  summary: "Ollama, its own completions",
  method: "POST",
  path: "/api/generate",
  producesTokens: true,
  tokenizesInput: true,
  usesChatTemplate: true,
  supportsImages: true,
  body: JSON_BODY,

  buildBody(content, settings) {
    const images = content.images.map(bareBase64);
    const body = {
      "model": settings.model,
      "prompt": content.texts.join(" "),
      ...(images.length === 0 ? {} : { "images": images }),
    };
    return finishOllamaBody(body, content, settings);
  },

  inputTexts: ({ system, prompt }) => [system, prompt].filter((text) => typeof text === "string"),
  countImages: ({ images }) => Array.isArray(images) ? images.length : 0,
  outputLimits: ollamaOutputLimits,
  replies: OLLAMA_REPLIES,
  writer: ollamaWriter((text, thinking) => ({
    "response": text,
    ...(thinking === "" ? {} : { "thinking": thinking }),
  })),
};
