import { isFields } from "../protocol/json_fields.ts";
import type { TextConstraint } from "./reply_constraint.ts";

type Fields = Readonly<Record<string, unknown>>;

/**
 * Returns the requirement of a body on the text of its reply, in the forms of:
 * - OpenAI's `response_format`, also as llama.cpp, TensorRT-LLM, Together and Fireworks extend it;
 * - OpenAI's Responses: `text.format`;
 * - Anthropic's Messages: `output_config.format`, earlier `output_format`;
 * - vLLM: `structured_outputs`, earlier `guided_json` and others, also in NVIDIA's `nvext`;
 * - SGLang: `json_schema`, `regex`, `ebnf`, also in `sampling_params`; llama.cpp: `json_schema`,
 *   `grammar`;
 * - TGI: `parameters.grammar`; Triton: `guided_decoding_guide`; Ollama: `format`.
 *
 * @returns undefined if any text will do
 */
export function textConstraintOf(fields: Fields): TextConstraint | undefined {
  const { text, output_config: config, parameters } = fields;
  const settings = [fields, fields["sampling_params"], fields["nvext"], parameters]
    .filter(isFields);
  return ofStructuredOutputs(fields["structured_outputs"]) ?? firstOf(settings, ofGuidedFields) ??
    ofFormat(fields["response_format"]) ??
    (isFields(text) ? ofFormat(text["format"]) : undefined) ??
    (isFields(config) ? ofFormat(config["format"]) : undefined) ??
    ofFormat(fields["output_format"]) ??
    ofOllamaFormat(fields["format"]) ??
    firstOf(settings, ofEngineFields);
}

function firstOf(
  settings: readonly Fields[],
  read: (one: Fields) => TextConstraint | undefined,
): TextConstraint | undefined {
  for (const one of settings) {
    const found = read(one);
    if (found !== undefined) return found;
  }
  return undefined;
}

function ofStructuredOutputs(value: unknown): TextConstraint | undefined {
  if (!isFields(value)) return undefined;
  return ofSchema(value["json"]) ??
    ofRegex(value["regex"]) ??
    ofChoice(value["choice"]) ??
    (value["json_object"] === true ? { kind: "json_object" } : undefined) ??
    unchecked("grammar", value["grammar"]) ??
    unchecked("structural tag", value["structural_tag"]);
}

/** Fields of vLLM before version 0.12, and of Triton's backend of TensorRT-LLM. */
function ofGuidedFields(value: Fields): TextConstraint | undefined {
  return ofSchema(value["guided_json"]) ??
    ofRegex(value["guided_regex"]) ??
    ofChoice(value["guided_choice"]) ??
    (value["guided_json_object"] === true ? { kind: "json_object" } : undefined) ??
    unchecked("grammar", value["guided_grammar"]) ??
    ofTyped(value["guided_decoding_guide_type"], value["guided_decoding_guide"]);
}

/** Fields of SGLang, llama.cpp and TGI, on the top level or among the settings of sampling. */
function ofEngineFields(value: Fields): TextConstraint | undefined {
  const { grammar } = value;
  return ofSchema(value["json_schema"]) ??
    ofRegex(value["regex"]) ??
    (isFields(grammar) ? ofFormat(grammar) : unchecked("grammar", grammar)) ??
    unchecked("grammar", value["ebnf"]) ??
    unchecked("structural tag", value["structural_tag"]);
}

/** Ollama: the word `json`, or a schema. */
function ofOllamaFormat(value: unknown): TextConstraint | undefined {
  if (value === "json") return { kind: "json_object" };
  return isFields(value) ? ofSchema(value) : undefined;
}

/** An object with a type, and with the requirement in a field that is mostly named after the type. */
function ofFormat(format: unknown): TextConstraint | undefined {
  if (!isFields(format)) return undefined;
  const { type, schema, value, json_schema: named } = format;
  switch (type) {
    case "regex":
      return ofRegex(format["regex"] ?? format["pattern"] ?? value);
    case "choice":
      return ofChoice(format["choice"] ?? format["choices"] ?? value);
    case "json_schema":
    case "json":
    case "json_object":
      return ofTyped(type, schema ?? namedSchema(named) ?? namedSchema(value));
    default:
      return ofTyped(type, format);
  }
}

/** A schema, or the schema next to its name. */
function namedSchema(value: unknown): unknown {
  return isFields(value) && (isFields(value["schema"]) || typeof value["schema"] === "string")
    ? value["schema"]
    : value;
}

/** A requirement whose kind a word names. */
function ofTyped(type: unknown, value: unknown): TextConstraint | undefined {
  switch (type) {
    case undefined:
    case null:
    case "":
    case "text":
      return undefined;
    case "json":
    case "json_object":
    case "json_schema":
      return ofSchema(value) ?? { kind: "json_object" };
    case "regex":
      return ofRegex(value);
    case "structural_tag":
      return { kind: "unchecked", what: "structural tag" };
    default:
      return { kind: "unchecked", what: "grammar" };
  }
}

/** A schema, or its JSON. */
function ofSchema(value: unknown): TextConstraint | undefined {
  if (typeof value === "string") {
    if (value.trim() === "") return undefined;
    try {
      return { kind: "json_schema", schema: JSON.parse(value) };
    } catch {
      return { kind: "unchecked", what: "schema that is not JSON" };
    }
  }
  return isFields(value) || typeof value === "boolean"
    ? { kind: "json_schema", schema: value }
    : undefined;
}

function ofRegex(value: unknown): TextConstraint | undefined {
  return typeof value === "string" && value !== "" ? { kind: "regex", pattern: value } : undefined;
}

function ofChoice(value: unknown): TextConstraint | undefined {
  if (!Array.isArray(value) || value.length === 0) return undefined;
  return { kind: "choice", choices: value.map(String) };
}

function unchecked(what: string, value: unknown): TextConstraint | undefined {
  const isGiven = value !== undefined && value !== null && value !== "" && value !== false;
  return isGiven ? { kind: "unchecked", what } : undefined;
}
