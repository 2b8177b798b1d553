import { audioTranscription } from "./media/audio_transcription.ts";
import { chat } from "./openai/chat.ts";
import { chatEmbeddings } from "./embeddings/chat_embeddings.ts";
import { cohereRankings } from "./rankings/cohere_rankings.ts";
import { completions } from "./openai/completions.ts";
import { embeddings } from "./embeddings/embeddings.ts";
import type { EndpointSettings, EndpointType } from "./protocol/endpoint_type.ts";
import { generate } from "./engines/generate.ts";
import { hfTeiRankings } from "./rankings/hf_tei_rankings.ts";
import { huggingfaceGenerate } from "./engines/huggingface_generate.ts";
import { imageEdit } from "./media/image_edit.ts";
import { imageGeneration } from "./media/image_generation.ts";
import { imageRetrieval } from "./media/image_retrieval.ts";
import { kserve } from "./engines/kserve.ts";
import { kserveInfer } from "./engines/kserve_infer.ts";
import { messages } from "./anthropic/messages.ts";
import { nimEmbeddings } from "./embeddings/nim_embeddings.ts";
import { nimRankings } from "./rankings/nim_rankings.ts";
import { ollama } from "./ollama/ollama.ts";
import { omittingType } from "./protocol/omitting_type.ts";
import { ollamaGenerate } from "./ollama/ollama_generate.ts";
import { raw } from "./template/raw.ts";
import { responses } from "./openai/responses.ts";
import { template } from "./template/template.ts";
import { videoGeneration } from "./media/video_generation.ts";

/**
 * Endpoint types that can be measured, by their names on the command line. If several share a path,
 * the embedded server uses the first one that recognizes a body.
 */
export const ENDPOINT_TYPES: ReadonlyMap<string, EndpointType> = new Map(
  [
    chat,
    completions,
    responses,
    messages,
    huggingfaceGenerate,
    generate,
    ollama,
    ollamaGenerate,
    kserve,
    kserveInfer,
    chatEmbeddings,
    embeddings,
    nimEmbeddings,
    nimRankings,
    cohereRankings,
    hfTeiRankings,
    imageGeneration,
    imageEdit,
    imageRetrieval,
    videoGeneration,
    audioTranscription,
    template,
    raw,
  ].map((type) => [type.name, type]),
);

/** The names of the types that take several turns, as one reads them. */
export const CONVERSATION_TYPES: string = [...ENDPOINT_TYPES.values()]
  .filter(({ conversation }) => conversation !== undefined)
  .map(({ name }) => name).join(", ").replace(/, (?=[^,]*$)/, " or ");

/** Other names of types, and the names that they stand for. */
export const ENDPOINT_ALIASES: Readonly<Record<string, string>> = Object.fromEntries(
  [...ENDPOINT_TYPES.values()].flatMap(({ name, aliases = [] }) =>
    aliases.map((alias) => [alias, name])
  ),
);

/**
 * The endpoint type of that name.
 * @throws {RangeError} if there is none
 */
export function endpointType(name: string): EndpointType {
  const spelt = name.replaceAll("_", "-");
  const meant = Object.hasOwn(ENDPOINT_ALIASES, spelt) ? ENDPOINT_ALIASES[spelt] : spelt;
  const type = ENDPOINT_TYPES.get(meant ?? spelt);
  if (type === undefined) {
    const known = [...ENDPOINT_TYPES.keys()].join(", ");
    throw new RangeError(`Endpoint type must be one of ${known}: got "${name}"`);
  }
  return type;
}

/** Choice of an endpoint type in a plan. */
export interface EndpointChoice {
  readonly endpointType: string;
  /** Settings of the endpoint type; missing if there are none. */
  readonly endpointSettings?: EndpointSettings;
  /** Fields that bodies must not have; missing for none. */
  readonly omittedInputs?: readonly string[];
}

/**
 * The endpoint type of a run, as it sets it.
 * @throws {RangeError} if there is none, or its settings are wrong
 */
export function configuredType(
  { endpointType: name, endpointSettings, omittedInputs = [] }: EndpointChoice,
): EndpointType {
  const type = endpointType(name);
  return omittingType(type.setup?.configured(endpointSettings ?? {}) ?? type, omittedInputs);
}
