import type { TextConstraint } from "../../../client/endpoint/constraint/reply_constraint.ts";
import { commonLength } from "../common_length.ts";
import { cutFlaw, jsonFlaw } from "./json_requirement.ts";
import type { Flaw } from "../invalid_reason.ts";
import type { SchemaCompiler } from "./schema_compiler.ts";
import type { PatternCompiler } from "./text_pattern.ts";
import { UncheckedError } from "./unchecked_error.ts";

/** Returns the first flaw of a text; undefined if there is none. */
export type TextCheck = (text: string, isCut: boolean) => Flaw | undefined;

/** Compilers of what requests require. */
export interface Compilers {
  readonly schemas: SchemaCompiler;
  readonly patterns: PatternCompiler;
}

const SUBJECT = "text";

/**
 * Returns the check of a requirement on the text of a reply.
 * @throws {Error} if it cannot be checked
 */
export function textCheck(
  constraint: TextConstraint,
  { schemas, patterns }: Compilers,
): TextCheck {
  switch (constraint.kind) {
    case "json_object":
    case "json_schema": {
      const requirement = {
        fits: constraint.kind === "json_schema" ? schemas.compile(constraint.schema) : undefined,
        subject: SUBJECT,
        notJson: "not_json",
        misfit: "schema",
      } as const;
      return (text, isCut) => jsonFlaw(text, requirement, isCut);
    }
    case "regex": {
      const pattern = patterns.compile(constraint.pattern);
      return (text, isCut) => {
        if (pattern.matches(text)) return undefined;
        const at = pattern.invalidAt(text);
        if (isCut && (at === undefined || at === text.length)) return cutFlaw(SUBJECT, text);
        const place = at === undefined ? "" : ` at character ${at}`;
        return {
          reason: "regex",
          message: `${SUBJECT} does not match the regex${place}`,
          place: { text, at: at ?? 0 },
        };
      };
    }
    case "choice": {
      const { choices } = constraint;
      return (text, isCut) => {
        if (choices.includes(text)) return undefined;
        if (isCut && choices.some((choice) => choice.startsWith(text))) {
          return cutFlaw(SUBJECT, text);
        }
        const at = Math.max(...choices.map((choice) => commonLength(choice, text)));
        return {
          reason: "choice",
          message: `${SUBJECT} is none of the choices at character ${at}`,
          place: { text, at },
        };
      };
    }
    case "unchecked":
      throw new UncheckedError(`a ${constraint.what} is not checked`);
  }
}
