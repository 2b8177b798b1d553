import {
  closedObject,
  flag,
  type JsonSchema,
  listOf,
  text,
  textOrNull,
  versionedFile,
} from "./json_schema.ts";

const counts = (description: string): JsonSchema => ({
  "description": description,
  "type": "object",
  "additionalProperties": { "type": "integer", "minimum": 0 },
});

/** `exports.json` */
export const EXPORTS_SCHEMA: JsonSchema = versionedFile(
  "exports.json",
  "Exports to other systems at the end of a run.",
  {
    "exports": listOf(
      closedObject({
        "system": { "description": "Kind of system", "enum": ["textfile", "otlp", "mlflow"] },
        "place": text("Its URL without credentials, or the path of the file"),
        "complete": flag("Whether it got everything"),
        "sent": counts("Number of items accepted, by kind"),
        "failed": counts("Number of items rejected, by kind"),
        "failure": textOrNull("Reason for an incomplete export"),
        "link": textOrNull("Address of the exported run"),
      }),
      "One entry for each system",
    ),
  },
);
