import { displayWidth } from "./display_width.ts";
import { wrapText } from "./wrap_text.ts";

/** Spaces between items. */
const GAP = "   ";

/** Items in as few lines of a width as they need; only one that is wider than a line is broken. */
export function wrapItems(items: readonly string[], width: number): string[] {
  const lines: string[] = [];
  for (const item of items) {
    const last = lines.at(-1);
    if (last !== undefined && displayWidth(last) + GAP.length + displayWidth(item) <= width) {
      lines[lines.length - 1] = last + GAP + item;
    } else {
      lines.push(...wrapText(item, width, 2));
    }
  }
  return lines;
}
