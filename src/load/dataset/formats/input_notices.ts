import type { InputFormat } from "./input_format.ts";

/** The sentence that says what a file was taken for. */
export function detectionNotice(path: string, { name, description }: InputFormat, why: string) {
  return `${path}: taken for ${name} (${description}): ${why}`;
}
