import { closedObject, DIALECT, type JsonSchema, text } from "./json_schema.ts";

/** `inputs.json` */
export const INPUTS_SCHEMA: JsonSchema = {
  "$schema": DIALECT,
  "$id": "urn:inferometer:inputs.json",
  "title": "inputs.json",
  "description": "The request bodies of the profiling phase; --input-file sends them again.",
  ...closedObject({
    "data": {
      "description": "The conversations",
      "type": "array",
      "items": closedObject({
        "session_id": text("Names the conversation, as conversation_id of a record does"),
        "payloads": {
          "description": "The bodies of its requests, as they are sent",
          "type": "array",
          "minItems": 1,
          "items": { "type": "object" },
        },
      }),
    },
  }),
};
