import type { TextConstraint } from "../client/endpoint/constraint/reply_constraint.ts";
import type { RandomStream } from "../core/statistics/random_stream.ts";
import { patternInstance } from "./pattern_instance.ts";
import { schemaInstance } from "./schema_instance.ts";

/** Returns a text that meets a requirement; undefined for one that the mock cannot meet. */
export function structuredText(
  constraint: TextConstraint,
  random: RandomStream,
): string | undefined {
  switch (constraint.kind) {
    case "json_object":
      return JSON.stringify({ "answer": random() });
    case "json_schema": {
      const value = schemaInstance(constraint.schema, random);
      return value === undefined ? undefined : JSON.stringify(value);
    }
    case "regex":
      return patternInstance(constraint.pattern, random);
    case "choice":
      return constraint.choices[Math.floor(random() * constraint.choices.length)];
    case "unchecked":
      return undefined;
  }
}
