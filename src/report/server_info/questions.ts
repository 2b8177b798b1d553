/** What servers are asked: paths that tell version or configuration and change nothing. */

/** One of them. */
export interface Question {
  readonly path: string;
  /** Beginning of the names of its facts; empty for none. */
  readonly prefix: string;
  /** Takes out of a reply what is worth keeping; all of it where this is missing. */
  readonly pick?: (reply: Readonly<Record<string, unknown>>) => unknown;
}

/** Models of a list that are named one by one. */
const MAX_MODELS = 16;

/** The questions, all of them; every server knows some, and answers 404 to the others. */
export const QUESTIONS: readonly Question[] = [
  // vLLM, TensorRT-LLM
  { path: "/version", prefix: "" },
  // SGLang, and vLLM in its development mode
  { path: "/get_server_info", prefix: "server_info." },
  { path: "/server_info?config_format=json", prefix: "server_info." },
  { path: "/get_model_info", prefix: "model_info." },
  { path: "/model_info", prefix: "model_info." },
  // Triton
  { path: "/v2", prefix: "v2." },
  // llama.cpp
  { path: "/props", prefix: "props." },
  // Text Generation Inference
  { path: "/info", prefix: "info." },
  // Ollama
  { path: "/api/version", prefix: "" },
  // Dynamo: which workers there are; other servers' bodies are empty
  { path: "/health", prefix: "health.", pick: workers },
  { path: "/v1/models", prefix: "", pick: models },
];

function workers({ instances, endpoints }: Readonly<Record<string, unknown>>): unknown {
  return {
    ...(Array.isArray(instances) ? { "instances": instances.length } : {}),
    ...(Array.isArray(endpoints) ? { "endpoints": endpoints.toSorted() } : {}),
  };
}

function models({ data }: Readonly<Record<string, unknown>>): unknown {
  if (!Array.isArray(data)) return {};
  const entries = data.filter((model): model is Record<string, unknown> =>
    typeof model === "object" && model !== null
  );
  const [first] = entries;
  return {
    "models": entries.slice(0, MAX_MODELS).map(({ id }) => String(id)),
    ...(entries.length > MAX_MODELS ? { "model_count": entries.length } : {}),
    ...(typeof first?.["owned_by"] === "string" ? { "owned_by": first["owned_by"] } : {}),
    ...Object.fromEntries(
      entries.slice(0, MAX_MODELS).map((
        { id: _id, object: _object, owned_by: _owner, ...rest },
        at,
      ) => [entries.length === 1 ? "model" : `model_${at + 1}`, rest]),
    ),
  };
}
