import { closedObject, DIALECT, flag, type JsonSchema, text } from "./json_schema.ts";

const counts = (description: string): JsonSchema => ({
  "description": description,
  "type": "object",
  "additionalProperties": { "type": "integer", "minimum": 0 },
});

const textOrNull = (description: string): JsonSchema => ({
  "description": description,
  "type": ["string", "null"],
});

/** `exports.json` */
export const EXPORTS_SCHEMA: JsonSchema = {
  "$schema": DIALECT,
  "$id": "urn:inferometer:exports.json",
  "title": "exports.json",
  "description": "What other systems got of a run when it was over.",
  ...closedObject({
    "schema_version": { "description": "Version of the layout", "const": "1.0" },
    "product": text("The program that sent it, with its version"),
    "exports": {
      "description": "One entry for each system",
      "type": "array",
      "items": closedObject({
        "system": { "description": "Kind of system", "enum": ["textfile", "otlp", "mlflow"] },
        "place": text("Its URL without credentials, or the path of the file"),
        "complete": flag("Whether it got everything"),
        "sent": counts("What it took, by kind"),
        "failed": counts("What it did not take, by kind"),
        "failure": textOrNull("Why it did not get everything"),
        "link": textOrNull("Where the run can be looked at"),
      }),
    },
  }),
};
