import type { EndpointType } from "../protocol/endpoint_type.ts";
import { finishOllamaBody, OLLAMA_API, ollamaImages, ollamaWriter } from "./ollama_protocol.ts";

/** Ollama's own completions. */
export const ollamaGenerate: EndpointType = {
  ...OLLAMA_API,
  name: "ollama-generate",
  summary: "Ollama, its own completions",
  path: "/api/generate",

  buildBody(content, settings) {
    const prompt = content.texts.join(" ");
    const body = { "model": settings.model, "prompt": prompt, ...ollamaImages(content) };
    return finishOllamaBody(body, content, settings);
  },

  inputTexts: ({ system, prompt }) => [system, prompt].filter((text) => typeof text === "string"),
  countImages: ({ images }) => Array.isArray(images) ? images.length : 0,
  writer: ollamaWriter((text, thinking) => ({
    "response": text,
    ...(thinking === "" ? {} : { "thinking": thinking }),
  })),
};
