import { count, flag, type JsonSchema, text } from "./json_schema.ts";

/** Settings are added from version to version: those named here are fixed, others may be there. */
function openObject(
  description: string,
  properties: Readonly<Record<string, JsonSchema>>,
  required: readonly string[],
): JsonSchema {
  return {
    "description": description,
    "type": "object",
    "properties": properties,
    "required": required,
  };
}

const TOKENS: JsonSchema = {
  "description": "A length in tokens",
  "type": "object",
  "properties": {
    "mean": { "description": "Mean; tokens", "type": "number", "minimum": 0 },
    "stddev": { "description": "Standard deviation; tokens", "type": "number", "minimum": 0 },
  },
  "required": ["mean"],
};

const ENDPOINT = openObject("The servers and how they were asked", {
  "urls": {
    "description": "Base URLs, credentials replaced",
    "type": "array",
    "minItems": 1,
    "items": { "type": "string" },
  },
  "type": text("Kind of API"),
  "streaming": flag("Replies were asked for as streams"),
  "transport": { "description": "What carried the requests", "enum": ["socket", "fetch"] },
  "connection_reuse_strategy": text("How long connections lived"),
  "request_timeout_seconds": {
    "description": "Longest time of a request; seconds",
    "type": "number",
    "exclusiveMinimum": 0,
  },
  "headers": {
    "description": "Headers that were given, secrets replaced",
    "type": "object",
    "additionalProperties": { "type": "string" },
  },
  "extra_inputs": { "description": "Fields added to every body", "type": "object" },
  "use_server_token_count": flag("Tokens were counted by the server"),
}, ["urls", "type", "streaming", "transport", "headers", "extra_inputs"]);

const DATASET = openObject("Where prompts came from", {
  "name": text("Name of the dataset"),
  "type": text("synthetic, or the kind of file"),
  "path": text("The file"),
  "entries": count("Different prompts"),
  "sampling": text("Order in which they were used"),
  "prompts": {
    "description": "Lengths of prompts (isl) and outputs (osl)",
    "type": "object",
    "properties": { "isl": TOKENS, "osl": TOKENS },
  },
}, ["name", "type"]);

const PHASE = openObject("A phase of the run", {
  "name": text("Name of the phase"),
  "kind": { "description": "Kind of the phase", "enum": ["warmup", "profiling"] },
  "type": text("concurrency, or the distribution of the times between arrivals"),
  "requests": count("Requests after which sending stopped"),
  "duration": {
    "description": "Time after which sending stopped; seconds",
    "type": "number",
    "exclusiveMinimum": 0,
  },
  "grace_period": {
    "description": "Time that running requests got after that; seconds",
    "type": "number",
    "minimum": 0,
  },
  "concurrency": { "description": "Most requests in flight", "type": "integer", "minimum": 1 },
  "rate": {
    "description": "Mean arrivals; requests per second",
    "type": "number",
    "exclusiveMinimum": 0,
  },
  "smoothness": {
    "description": "Shape of the gamma distribution of the times between arrivals",
    "type": "number",
    "exclusiveMinimum": 0,
  },
}, ["name", "kind", "type"]);

/** The `input_config` of a summary. */
export const INPUT_CONFIG: JsonSchema = openObject("The settings of the run, as resolved", {
  "models": openObject("The models", {
    "items": {
      "description": "One for each model",
      "type": "array",
      "minItems": 1,
      "items": openObject("A model", { "name": text("Its name") }, ["name"]),
    },
  }, ["items"]),
  "endpoint": ENDPOINT,
  "datasets": { "description": "The datasets", "type": "array", "items": DATASET },
  "phases": {
    "description": "The phases in their order",
    "type": "array",
    "minItems": 1,
    "items": PHASE,
  },
  "artifacts": openObject("What was written", {
    "dir": text("The folder"),
    "export_level": {
      "description": "How much was written of each request",
      "enum": ["summary", "records", "raw"],
    },
    "slice_duration": {
      "description": "Width of the time slices; seconds",
      "type": "number",
      "exclusiveMinimum": 0,
    },
  }, ["dir", "export_level"]),
  "slos": {
    "description": "Objectives by the tags of their metrics, in the metrics' units",
    "type": "object",
    "additionalProperties": { "type": "number" },
  },
  "tokenizer": openObject("What counted the tokens", {
    "name": text("builtin, or a path"),
  }, ["name"]),
  "random_seed": { "description": "Repeats prompts, lengths and arrivals", "type": "integer" },
  "runtime": openObject("The client", {
    "workers": { "description": "Threads that sent requests", "type": "integer", "minimum": 1 },
  }, ["workers"]),
}, [
  "models",
  "endpoint",
  "datasets",
  "phases",
  "artifacts",
  "tokenizer",
  "random_seed",
  "runtime",
]);
