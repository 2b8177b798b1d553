/** How the blocks of a full screen share its rows and columns. */

import { displayWidth, padded } from "../console/display_width.ts";
import type { TextStyle } from "../console/styled_text.ts";

/** A line and how it looks. */
export interface Line {
  readonly text: string;
  readonly style?: TextStyle;
}

/** Title and lines of a block; the title of the first block is empty. */
export interface Block {
  readonly title: string;
  readonly lines: readonly Line[];
  /** Lines that it keeps when room is short. */
  readonly least: number;
}

/** Columns between two blocks. */
export const GAP = "   ";

/** Fits blocks with their titles into a number of rows: the last ones lose lines first. */
export function fitted(blocks: readonly Block[], room: number, width: number): Line[] {
  const used = blocks.filter(({ lines }) => lines.length > 0);
  const kept = used.map(({ lines }) => lines.length);
  const titles = used.filter(({ title }) => title !== "").length;
  let excess = kept.reduce((sum, count) => sum + count, titles) - room;
  for (let at = used.length - 1; at >= 0 && excess > 0; at--) {
    const spare = Math.max(0, (kept[at] as number) - (used[at] as Block).least);
    const given = Math.min(spare, excess);
    kept[at] = (kept[at] as number) - given;
    excess -= given;
  }
  return used.flatMap(({ title, lines }, at) => [
    ...(title === "" ? [] : [{ text: rule(title, width) }]),
    ...lines.slice(0, kept[at]),
  ]).slice(0, room);
}

function rule(title: string, width: number): string {
  const head = `─ ${cut(title, width - 4)} `;
  return `${head}${"─".repeat(Math.max(0, width - displayWidth(head)))}`;
}

/** Lines of two columns. */
export function sideBySide(left: readonly Line[], right: readonly Line[], width: number): Line[] {
  return Array.from({ length: Math.max(left.length, right.length) }, (_, row) => {
    const [a, b] = [left[row]?.text ?? "", right[row]?.text ?? ""];
    const style = right[row]?.style ?? left[row]?.style;
    const text = `${padded(cut(a, width), width)}${GAP}${b}`;
    return style === undefined ? { text } : { text, style };
  });
}

/** Wraps parts to as many lines as they need, with three spaces between two of them. */
export function wrapped(parts: readonly string[], width: number): Line[] {
  const lines: string[] = [];
  for (const part of parts) {
    const last = lines.at(-1);
    if (last !== undefined && displayWidth(last) + 3 + displayWidth(part) <= width) {
      lines[lines.length - 1] = `${last}   ${part}`;
    } else lines.push(part);
  }
  return lines.map((text) => ({ text }));
}

/** Cuts a text to a maximum number of columns. */
export function cut(text: string, width: number): string {
  if (displayWidth(text) <= width) return text;
  let kept = "";
  let columns = 0;
  for (const character of text) {
    columns += displayWidth(character);
    if (columns > width) break;
    kept += character;
  }
  return kept;
}
