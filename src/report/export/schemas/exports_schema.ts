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
  "What other systems got of a run when it was over.",
  {
    "exports": listOf(
      closedObject({
        "system": { "description": "Kind of system", "enum": ["textfile", "otlp", "mlflow"] },
        "place": text("Its URL without credentials, or the path of the file"),
        "complete": flag("Whether it got everything"),
        "sent": counts("What it took, by kind"),
        "failed": counts("What it did not take, by kind"),
        "failure": textOrNull("Why it did not get everything"),
        "link": textOrNull("Where the run can be looked at"),
      }),
      "One entry for each system",
    ),
  },
);
