import { closedObject, count, flag, type JsonSchema, text } from "./json_schema.ts";

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

const ENDPOINT = openObject("Servers and request settings", {
  "urls": {
    "description": "Base URLs, credentials replaced",
    "type": "array",
    "minItems": 1,
    "items": { "type": "string" },
  },
  "type": text("Kind of API"),
  "streaming": flag("Replies were asked for as streams"),
  "timeout": {
    "description": "Longest time of a request; seconds",
    "type": "number",
    "exclusiveMinimum": 0,
  },
  "connection_reuse": text("How long connections lived"),
  "use_legacy_max_tokens": flag("The output's length was asked for as max_tokens"),
  "use_server_token_count": flag("Tokens were counted by the server"),
  "headers": {
    "description": "Headers that were given, secrets replaced",
    "type": "object",
    "additionalProperties": { "type": "string" },
  },
  "extra": { "description": "Fields added to every body", "type": "object" },
}, ["urls", "type", "timeout", "streaming", "connection_reuse", "headers", "extra"]);

const DATASET = openObject("Where prompts came from", {
  "name": text("Name of the dataset"),
  "type": text("synthetic, or the kind of file"),
  "path": text("The file"),
  "entries": count("Different prompts"),
  "sampling": text("Order in which they were used"),
  "random_seed": count("Repeats prompts, lengths and arrivals"),
  "osl": TOKENS,
  "prompts": {
    "description": "Lengths of generated prompts (isl) and of their outputs (osl)",
    "type": "object",
    "properties": { "isl": TOKENS, "osl": TOKENS },
  },
}, ["name", "type", "random_seed"]);

const PHASE = openObject("A phase of the run", {
  "name": text("Name of the phase"),
  "kind": { "description": "Kind of the phase", "enum": ["warmup", "profiling"] },
  "type": text("concurrency, or the distribution of the times between arrivals"),
  "requests": count("Requests after which sending stopped"),
  "sessions": count("Sessions after which none was begun"),
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

/**
 * Schema of the `input_config` of a summary. It is AIPerf's, so that AIPerf's readers accept it;
 * they refuse any unknown key.
 */
export const INPUT_CONFIG: JsonSchema = openObject("The settings of the run, as resolved", {
  "models": openObject("The models", {
    "items": {
      "description": "One for each model",
      "type": "array",
      "minItems": 1,
      "items": openObject("A model", {
        "name": text("Its name"),
        "weight": { "description": "Its share; absent where all are equal", "type": "number" },
      }, ["name"]),
    },
    "strategy": {
      "description": "How one is chosen; absent for each in turn",
      "enum": ["random", "weighted"],
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
    "prefix": text("Prefix of the file names, if set"),
    "records": {
      "description": "Formats of the file of requests; false if none was written",
      "oneOf": [{ "const": false }, { "type": "array", "items": { "const": "jsonl" } }],
    },
    "raw": flag("Requests and replies were written in full"),
    "trace": flag("The phases of HTTP exchanges were written"),
    "slice_duration": {
      "description": "Width of the time slices; seconds",
      "type": "number",
      "exclusiveMinimum": 0,
    },
  }, ["dir", "records", "raw", "trace"]),
  "slos": {
    "description": "Objectives by the tags of their metrics, in the metrics' units",
    "type": "object",
    "additionalProperties": { "type": "number" },
  },
  "tokenizer": openObject("Tokenizer that counted the tokens", {
    "name": text("builtin, or a path"),
  }, ["name"]),
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
  "runtime",
]);

/** Settings of sessions; a run may have any of them. */
const SESSION_SETTINGS = [
  ...["session_turns", "max_turn_delay", "ignored_trace_delays", "session_header"],
];

/** Settings of prompts; a run may have any of them. */
const PROMPT_SETTINGS = [
  ...["system_prompt", "cache_bust", "apply_chat_template"],
  ...["input_tokens_range", "output_tokens_range"],
];

function range(description: string): JsonSchema {
  return {
    description,
    "type": "array",
    "items": { "type": "integer", "minimum": 0 },
    "minItems": 2,
    "maxItems": 2,
  };
}

function figure(description: string): JsonSchema {
  return { description, "type": "number", "minimum": 0 };
}

/** The settings of a summary that AIPerf has no name for. */
export const OWN_CONFIG: JsonSchema = {
  "description": "Settings of the run that input_config has no name for",
  ...closedObject({
    "transport": { "description": "HTTP client of the requests", "enum": ["socket", "fetch"] },
    "stall_timeout": figure("Maximum time without a byte of a reply, absent for none; seconds"),
    "model_selection": {
      "description": "How a session's model was chosen; absent for each in turn",
      "enum": ["random", "weighted", "sticky"],
    },
    "omitted_inputs": {
      "description": "Fields that were removed from bodies; absent for none",
      "type": "array",
      "items": { "type": "string" },
    },
    "per_chunk_usage": flag("Servers were asked for usage with every chunk"),
    "cost_per_hour": {
      "description": "Price of an hour of all servers, in the user's currency",
      "type": "number",
      "exclusiveMinimum": 0,
    },
    "gpus": {
      "description": "GPUs that serve the load, as stated; those of each pool if they were named",
      ...closedObject({
        "total": count("GPUs of all servers"),
        "prefill": count("GPUs of instances that only prefill"),
        "decode": count("GPUs of instances that only decode"),
      }, ["prefill", "decode"]),
    },
    "prefix_hit_rate": {
      "description": "Prefix cache hit rate that the prompts were made for",
      ...{ "type": "number", "minimum": 0, "maximum": 1 },
    },
    "session_turns": {
      "description": "Turns of synthetic sessions; absent where each was one prompt",
      ...closedObject({
        "mean": figure("Mean turns"),
        "stddev": figure("Standard deviation of the turns"),
        "delay_mean_ms": figure("Mean time between turns; milliseconds"),
        "delay_stddev_ms": figure("Standard deviation of that time; milliseconds"),
        "delay_ratio": figure("Factor of that time"),
      }),
    },
    "max_turn_delay": figure("Longest time between turns; seconds"),
    "ignored_trace_delays": flag("The times of the input file were dropped"),
    "session_header": text("Header with the ID of a request's session"),
    "system_prompt": text("System message of every conversation, as it was given"),
    "cache_bust": text("Place of the marker that each session had"),
    "apply_chat_template": flag("Input tokens were counted with the tokenizer's chat template"),
    "input_tokens_range": range("Shortest and longest prompt that was drawn; tokens"),
    "output_tokens_range": range("Shortest and longest output that was asked for; tokens"),
    "on_429": { "description": "Reaction to HTTP 429; absent for a failure", "enum": ["wait"] },
    "expect": {
      "description": "Requirements on replies",
      ...closedObject({
        "regex": text("Regular expression that the text matches"),
        "min_tokens": count("Least number of output tokens"),
      }, ["regex", "min_tokens"]),
    },
    "load_shape": {
      "description": "How the load of each phase changes, by phase",
      "type": "object",
      "additionalProperties": { "type": "object" },
    },
  }, [
    "stall_timeout",
    "omitted_inputs",
    "model_selection",
    "cost_per_hour",
    "gpus",
    "prefix_hit_rate",
    ...["on_429", "expect", "load_shape"],
    ...SESSION_SETTINGS,
    ...PROMPT_SETTINGS,
  ]),
};
