import { escapedMarkup } from "../../core/chart/markup.ts";

/** A table; its texts are escaped here. */
export interface HtmlTable {
  readonly caption?: string;
  readonly head: readonly string[];
  readonly rows: readonly (readonly string[])[];
  /** Columns that hold words, besides the first. */
  readonly textColumns?: readonly number[];
}

/** The table's markup. What is too wide for the page is scrolled. */
export function htmlTable({ caption, head, rows, textColumns = [] }: HtmlTable): string {
  const classOf = (column: number): string => textColumns.includes(column) ? ' class="text"' : "";
  const cells = (row: readonly string[]): string =>
    row.map((text, column) =>
      column === 0
        ? `<th scope="row">${escapedMarkup(text)}</th>`
        : `<td${classOf(column)}>${escapedMarkup(text)}</td>`
    ).join("");
  return [
    '<div class="scroll" tabindex="0"><table>',
    caption === undefined ? "" : `<caption>${escapedMarkup(caption)}</caption>`,
    "<thead><tr>",
    ...head.map((text, column) => `<th scope="col"${classOf(column)}>${escapedMarkup(text)}</th>`),
    "</tr></thead><tbody>",
    ...rows.map((row) => `<tr>${cells(row)}</tr>`),
    "</tbody></table></div>",
  ].join("");
}
