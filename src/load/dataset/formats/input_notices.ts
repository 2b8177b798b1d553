import type { InputFormat } from "./input_format.ts";

/** Returns the sentence that names the detected format of a file. */
export function detectionNotice(
  path: string,
  { name, description }: Pick<InputFormat, "name" | "description">,
  why: string,
) {
  return `${path}: detected format ${name} (${description}): ${why}`;
}
