import { styleText } from "node:util";

/** Style of a piece of text. */
export type TextStyle = "bold" | "yellow";

/**
 * A text with the codes of a terminal. Whether colours are wanted is known by the caller: asking
 * the environment for it is not permitted to a worker, and would make the runtime ask the user.
 */
export function styledText(style: TextStyle, text: string): string {
  return styleText(style, text, { validateStream: false });
}
