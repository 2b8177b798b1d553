import type { BodyFields } from "../protocol/body_format.ts";
import type { ReplyConstraint } from "./reply_constraint.ts";
import { textConstraintOf } from "./text_constraint.ts";
import { toolConstraintOf } from "./tool_constraint.ts";

/** Returns the requirements of a body on its reply; undefined if there are none. */
export function constraintOf(fields: Readonly<BodyFields>): ReplyConstraint | undefined {
  const text = textConstraintOf(fields);
  const tools = toolConstraintOf(fields);
  if (text === undefined && tools === undefined) return undefined;
  return {
    ...(text === undefined ? {} : { text }),
    ...(tools === undefined ? {} : { tools }),
  };
}

/** Returns the JSON of {@linkcode constraintOf}, equal for equal requirements. */
export function constraintText(fields: Readonly<BodyFields>): string | undefined {
  const constraint = constraintOf(fields);
  return constraint && JSON.stringify(constraint);
}
