import type { CalledTool } from "../../client/record/record_block.ts";

/** Returns tool calls as a text, a line for each. */
export function calledText(calls: readonly CalledTool[]): string {
  return calls.map(({ name, argumentsText }) => `${name}(${argumentsText})`).join("\n");
}
