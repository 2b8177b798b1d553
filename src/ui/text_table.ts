import Table from "npm:cli-table3@0.6.5";
import { displayWidth } from "./display_width.ts";
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
  const drawn = new Table({
    head: [...table.head],
    colWidths: widths.map((text) => text + 2),
    colAligns: [...table.alignments],
    style: { head: [], border: [], compact: true },
  });
  // Wrapped here: the table's own wrapping drops what is longer than a line and has no blanks.
  drawn.push(
    ...table.rows.map((row) =>
      row.map((text, column) => wrapText(text, widths[column] as number).join("\n"))
    ),
  );
  return drawn.toString();
}

function columnWidths(table: TextTable): number[] {
  return table.head.map((head, column) =>
    table.rows.reduce(
      (widest, row) => Math.max(widest, displayWidth(row[column] ?? "")),
      displayWidth(head),
    )
  );
}
