import { DIALECT, type JsonSchema } from "./json_schema.ts";

const GATE: JsonSchema = {
  "type": "object",
  "required": ["name", "condition", "found", "met", "doubtful", "value", "threshold", "unit"],
  "properties": {
    "name": { "description": "The objective.", "type": "string" },
    "condition": { "description": "What was asked for.", "type": "string" },
    "found": { "description": "What was found.", "type": "string" },
    "met": { "description": "Whether it was met.", "type": "boolean" },
    "doubtful": {
      "description": "Whether the client's own error could have changed the verdict.",
      "type": "boolean",
    },
    "value": { "description": "The figure; null without one.", "type": ["number", "null"] },
    "threshold": { "description": "What it must not miss.", "type": "number" },
    "unit": { "description": "Unit of both.", "type": "string" },
    "interval": {
      "description": "Between which values the true figure lies, with 95 % confidence.",
      "type": ["array", "null"],
    },
  },
};

/** The answer of a capacity search. */
export const SEARCH_SCHEMA: JsonSchema = {
  "$schema": DIALECT,
  "$id": "urn:inferometer:search_export.json",
  "title": "search_export.json",
  "description": "The answer of a capacity search, how sure it is, and its runs.",
  "type": "object",
  "required": ["variable", "answer", "at_least", "limited_by", "interval", "points"],
  "properties": {
    "schema_version": { "description": "Version of the layout.", "const": "1.0" },
    "product": { "description": "The program that wrote it.", "type": "string" },
    "variable": { "description": "What was varied.", "enum": ["concurrency", "request_rate"] },
    "answer": {
      "description": "The largest load that meets every objective; null if there is none.",
      "type": ["number", "null"],
    },
    "at_least": {
      "description": "Whether the server may well carry more.",
      "type": "boolean",
    },
    "limited_by": {
      "description": "The objective that is missed above; client, range or errors.",
      "type": ["string", "null"],
    },
    "interval": {
      "description": "The answer, and the smallest load above it that misses; null for none.",
      "type": ["array", "null"],
      "items": { "type": ["number", "null"] },
    },
    "confirmed": {
      "description": "Whether two runs agree about the answer.",
      "type": "boolean",
    },
    "objectives": {
      "description": "Each objective at the answer.",
      "type": "array",
      "items": GATE,
    },
    "points": {
      "description": "The runs, in their order.",
      "type": "array",
      "items": {
        "type": "object",
        "required": ["value", "met", "missed", "folder", "gates"],
        "properties": {
          "value": { "description": "The load.", "type": "number" },
          "met": { "description": "Whether every objective was met.", "type": "boolean" },
          "missed": {
            "description": "Objectives that were missed.",
            "type": "array",
            "items": { "type": "string" },
          },
          "limited_by_client": {
            "description": "Whether this machine could not send more.",
            "type": "boolean",
          },
          "ended_early": {
            "description": "Why it was ended before its time; null if it was not.",
            "type": ["string", "null"],
          },
          "folder": { "description": "Its files.", "type": "string" },
          "gates": { "description": "Each objective.", "type": "array", "items": GATE },
          "requests": { "description": "Requests by how they ended.", "type": "object" },
          "measurement_error": {
            "description": "The verdict on the client's own error.",
            "type": ["string", "null"],
          },
          "parameters": { "description": "Options of this run alone.", "type": "object" },
        },
      },
    },
    "bounds": { "description": "The smallest and the largest load.", "type": "array" },
    "precision": {
      "description": "How close the two ends of the interval are to come, as a share of the load.",
      "type": "number",
    },
    "is_complete": { "description": "False if it was interrupted.", "type": "boolean" },
    "cli_command": { "description": "The command without secrets.", "type": "string" },
    "notes": {
      "description": "What the reader must know.",
      "type": "array",
      "items": { "type": "string" },
    },
  },
};
