import { escapedMarkup } from "../../core/chart/markup.ts";

/** A cell: its main text, a smaller one below, and the class of the latter. */
export interface CardCell {
  readonly text: string;
  readonly small?: string;
  readonly smallClass?: string;
}

/** A table whose rows are cards on narrow screens; texts are escaped here. */
export interface CardTable {
  readonly head: readonly string[];
  readonly rows: readonly (readonly [name: string, ...cells: CardCell[]])[];
}

/** The table's markup. Each cell repeats its head for narrow screens. */
export function cardTable({ head, rows }: CardTable): string {
  const cell = ({ small, smallClass = "", text }: CardCell, column: number): string => {
    if (text === "") return "<td></td>";
    return `<td><span class="label">${escapedMarkup(head[column + 1] ?? "")}</span>${
      escapedMarkup(text)
    }${
      small === undefined
        ? ""
        : `<small${smallClass === "" ? "" : ` class="${smallClass}"`}>${
          escapedMarkup(small)
        }</small>`
    }</td>`;
  };
  const body = rows.map(([name, ...cells]) =>
    `<tr><th scope="row">${escapedMarkup(name)}</th>${
      cells.map((one, column) => cell(one as CardCell, column)).join("")
    }</tr>`
  );
  return '<div class="scroll" tabindex="0"><table class="cards points"><thead><tr>' +
    head.map((text) => `<th scope="col">${escapedMarkup(text)}</th>`).join("") +
    `</tr></thead><tbody>${body.join("")}</tbody></table></div>\n`;
}
