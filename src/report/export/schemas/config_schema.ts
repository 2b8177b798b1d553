import { PROFILE_COMMAND_OPTIONS } from "../../../config/options/commands/option_tables.ts";
import {
  defaultTextOf,
  kebab,
  type NumberFacts,
  type OptionSpec,
  specsOf,
} from "../../../config/options/option.ts";
import { isSweepable } from "../../../config/options/parse_value.ts";
import { valueText } from "../../../config/options/value_text.ts";
import { DIALECT, type JsonSchema } from "./json_schema.ts";

const NUMBER = String.raw`[+-]?(\d(_?\d)*\.?(\d(_?\d)*)?|\.\d(_?\d)*)([eE][+-]?\d+)?`;
const BLANKS = String.raw`\s*`;

/** Placeholder that is substituted when the file is read. */
const FILLED_IN: JsonSchema = { "type": "string", "pattern": String.raw`\$\{|\{\{` };

const SPECS = specsOf(PROFILE_COMMAND_OPTIONS).filter(({ inFile }) => inFile !== false);

const MODEL: JsonSchema = {
  "anyOf": [{ "type": "string" }, {
    "type": "object",
    "properties": { "name": { "type": "string" }, "weight": { "type": "number", "minimum": 0 } },
    "required": ["name"],
    "additionalProperties": false,
  }],
};
const MODEL_LIST: JsonSchema = { "anyOf": [MODEL, { "type": "array", "items": MODEL }] };
/** See `modelOptions`, which reads it. */
const MODELS: JsonSchema = {
  "description": "Models with their weights, as model takes them, or as files of AIPerf have them",
  "anyOf": [MODEL_LIST, {
    "type": "object",
    "properties": { "strategy": { "type": "string" }, "items": MODEL_LIST },
    "required": ["items"],
    "additionalProperties": false,
  }],
};

/** The configuration file of `inferometer profile`, for editors. */
export const CONFIG_SCHEMA: JsonSchema = {
  "$schema": DIALECT,
  "$id": "urn:inferometer:config.yaml",
  "title": "config.yaml",
  "description": "Options of inferometer profile, as --config reads them from a YAML file.",
  "type": "object",
  "properties": {
    "variables": {
      "description": "Values for expressions in other values, as {{ base * 2 }}",
      "type": "object",
      "additionalProperties": { "type": ["string", "number", "boolean"] },
    },
    "models": MODELS,
    ...Object.fromEntries(
      SPECS.filter(({ hidden }) => !hidden).map((spec) => [kebab(spec.name), optionSchema(spec)]),
    ),
  },
  "patternProperties": Object.fromEntries(
    SPECS.map((spec) => [otherSpellings(spec), valueSchema(spec)]),
  ),
  "additionalProperties": false,
};

function optionSchema(spec: OptionSpec): JsonSchema {
  const defaultText = defaultTextOf(spec);
  const facts = [spec.help, valueText(spec), defaultText && `default: ${defaultText}`];
  return {
    "description": facts.filter((fact) => fact !== undefined).join("; "),
    ...(spec.default === undefined ? {} : { "default": spec.default }),
    ...valueSchema(spec),
  };
}

/** The reader takes a name with `-`, with `_` or in camel case, and every alias. */
function otherSpellings({ name, aliases = [] }: OptionSpec): string {
  const words = [kebab(name), ...aliases].map((word) => word.replaceAll("-", "[-_]"));
  return `^(?!${kebab(name)}$)(${[name, ...words].join("|")})$`;
}

function valueSchema(spec: OptionSpec): JsonSchema {
  const one = singleSchema(spec);
  if (!isSweepable(spec)) return one;
  // Several values, as a list or with commas between.
  return {
    "anyOf": [
      ...one["anyOf"] as JsonSchema[],
      { "type": "array", "items": one, "minItems": 1 },
      { "type": "string", "pattern": "^[^,]+(,[^,]+)+$" },
    ],
  };
}

function singleSchema(spec: OptionSpec): JsonSchema {
  switch (spec.kind) {
    case "flag":
      return {
        "anyOf": [
          { "enum": [true, false, "true", "false", "yes", "no", "on", "off", 1, 0] },
          FILLED_IN,
        ],
      };
    case "text":
      if (spec.json) return { "type": ["string", "number", "object", "array"] };
      return spec.choices === undefined ? { "type": ["string", "number", "boolean"] } : {
        "anyOf": [
          { "enum": spelt([...spec.choices, ...Object.keys(spec.synonyms ?? {})]) },
          FILLED_IN,
        ],
      };
    case "texts": {
      const entry = entrySchema(spec);
      return { "anyOf": [entry, { "type": "array", "items": entry }] };
    }
    case "number":
      return numberSchema(spec, NUMBER);
    case "duration":
      return numberSchema(spec, `${NUMBER}${BLANKS}(ms|s|sec|m|min|h)?`);
    case "rate":
      return numberSchema(spec, `${NUMBER}${BLANKS}(/${BLANKS}(s|sec|m|min|h))?`);
  }
}

function entrySchema({ choices, synonyms = {}, words }: OptionSpec): JsonSchema {
  if (choices !== undefined) {
    const words = spelt([...choices, ...Object.keys(synonyms)]);
    const word = `(${words.join("|")})`;
    return {
      "anyOf": [
        { "enum": words },
        { "pattern": `^${word}([\\s,]+${word})*$`, "type": "string" },
        FILLED_IN,
      ],
    };
  }
  // What is no list of words may be written as a mapping, which is read as JSON.
  return { "type": words ? "string" : ["string", "number", "boolean", "object"] };
}

/** Returns words and their spellings with underscores, which are accepted as well. */
function spelt(words: readonly string[]): string[] {
  return [...new Set(words.flatMap((word) => [word, word.replaceAll("-", "_")]))];
}

/** A number in its range, or one that is written as on the command line. */
function numberSchema(
  { min, max, exclusive, integer, unlimited }: OptionSpec & NumberFacts,
  notation: string,
): JsonSchema {
  return {
    "anyOf": [
      {
        "type": integer ? "integer" : "number",
        [exclusive ? "exclusiveMinimum" : "minimum"]: min,
        "maximum": max,
      },
      { "type": "string", "pattern": `^(${notation}${unlimited ? "|inf" : ""})$` },
      FILLED_IN,
    ],
  };
}
