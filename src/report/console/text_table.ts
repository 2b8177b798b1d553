import { displayWidth, padded, paddedBefore } from "./display_width.ts";
import { wrapText } from "./wrap_text.ts";

/** A table of texts. */
export interface TextTable {
  readonly head: readonly string[];
  readonly rows: readonly (readonly string[])[];
  /** Column that is wrapped where the table is wider than the screen. */
  readonly flexible: number;
  /** Narrowest that the flexible column may become. */
  readonly minFlexible: number;
  readonly alignments: readonly ("left" | "right")[];
}

/** Characters that a column takes besides its text: padding and a border. */
const COLUMN_FRAME = 3;

/** Width of a table as {@linkcode renderTable} draws it. */
export function tableWidth(table: TextTable): number {
  return columnWidths(table).reduce((sum, width) => sum + width + COLUMN_FRAME, 1);
}

/** The width of a table once its flexible column is wrapped as far as it may be. */
export function narrowestWidth(table: TextTable): number {
  const flexible = columnWidths(table)[table.flexible] as number;
  return tableWidth(table) - Math.max(0, flexible - table.minFlexible);
}

/** Draws a table, its flexible column wrapped so that it fits into `width` where possible. */
export function renderTable(table: TextTable, width: number): string {
  const widths = columnWidths(table);
  const surplus = tableWidth(table) - width;
  if (surplus > 0) {
    const { flexible, minFlexible } = table;
    const wanted = widths[flexible] as number;
    widths[flexible] = Math.min(wanted, Math.max(minFlexible, wanted - surplus));
  }
  const border = (left: string, middle: string, right: string): string =>
    left + widths.map((width) => "─".repeat(width + 2)).join(middle) + right;
  return [
    border("┌", "┬", "┐"),
    ...rowLines(table.head, widths, table),
    ...(table.rows.length > 0 ? [border("├", "┼", "┤")] : []),
    ...table.rows.flatMap((row) => rowLines(row, widths, table)),
    border("└", "┴", "┘"),
  ].join("\n");
}

/** The lines of a row, as many as its highest cell has. */
function rowLines(
  row: readonly string[],
  widths: readonly number[],
  { alignments }: TextTable,
): string[] {
  const cells = widths.map((width, column) =>
    linesOf(row[column]).flatMap((line) => wrapText(line, width))
  );
  const height = Math.max(...cells.map(({ length }) => length));
  return Array.from({ length: height }, (_, line) => {
    const texts = cells.map((lines, column) => {
      const pad = alignments[column] === "right" ? paddedBefore : padded;
      return pad(lines[line] ?? "", widths[column] as number);
    });
    return `│ ${texts.join(" │ ")} │`;
  });
}

function columnWidths(table: TextTable): number[] {
  return table.head.map((head, column) =>
    table.rows.reduce(
      (widest, row) => Math.max(widest, ...linesOf(row[column]).map(displayWidth)),
      Math.max(...linesOf(head).map(displayWidth)),
    )
  );
}

/** A cell may have several lines of its own. */
function linesOf(cell = ""): string[] {
  return cell.split("\n");
}
