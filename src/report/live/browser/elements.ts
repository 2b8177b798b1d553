/** An element with text or other elements in it; text is never read as markup. */
export function element(
  name: string,
  content: string | readonly Node[] = "",
  className = "",
): HTMLElement {
  const made = document.createElement(name);
  if (typeof content === "string") made.textContent = content;
  else made.append(...content);
  if (className !== "") made.className = className;
  return made;
}

/** A table with a row of headings. */
export function table(
  head: readonly string[],
  rows: readonly (readonly string[])[],
  className = "",
): HTMLElement {
  const row = (cells: readonly string[], cell: string): HTMLElement =>
    element("tr", cells.map((text) => element(cell, text)));
  return element("table", [row(head, "th"), ...rows.map((cells) => row(cells, "td"))], className);
}

/** A number in three digits; a dash for none. */
export function figure(value: number | null | undefined): string {
  if (value === null || value === undefined) return "-";
  const rounded = Number(value.toPrecision(3));
  return Math.abs(value) >= 1000
    ? Math.round(value).toLocaleString("en")
    : Math.abs(rounded) < 0.005
    ? "0"
    : String(rounded);
}
