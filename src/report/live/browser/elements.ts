const SVG = "http://www.w3.org/2000/svg";
const WIDTH = 300;
const HEIGHT = 90;

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

/** A curve over the last minutes. */
export interface Curve {
  readonly label: string;
  /** null where there is none. */
  readonly values: readonly (number | null)[];
}

/** Returns a chart of one or two curves, from zero to the maximum value. */
export function chart(title: string, unit: string, curves: readonly Curve[]): HTMLElement {
  const all = curves.flatMap(({ values }) => values).filter((value) => value !== null);
  const most = Math.max(0, ...all);
  const length = Math.max(2, ...curves.map(({ values }) => values.length));
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("viewBox", `0 0 ${WIDTH} ${HEIGHT}`);
  svg.setAttribute("preserveAspectRatio", "none");
  svg.setAttribute("role", "img");
  const newest = curves.map(({ label, values }) => `${label} ${figure(values.at(-1) ?? null)}`);
  svg.setAttribute("aria-label", `${title}: ${newest.join(", ")} ${unit}`);
  curves.forEach(({ values }, at) => {
    for (const stretch of stretches(values)) {
      const line = document.createElementNS(SVG, "polyline");
      line.setAttribute("class", at === 0 ? "first" : "second");
      line.setAttribute(
        "points",
        stretch.map(([place, value]) => {
          const x = (place + length - values.length) / (length - 1) * WIDTH;
          const y = HEIGHT - 2 - (most > 0 ? value / most : 0) * (HEIGHT - 4);
          return `${x.toFixed(1)},${y.toFixed(1)}`;
        }).join(" "),
      );
      svg.append(line);
    }
  });
  const caption = element("figcaption", [
    document.createTextNode(`${title}, ${unit}; top ${figure(most)}  `),
    ...curves.map(({ label }, at) =>
      element("span", `${newest[at] ?? label}  `, at === 0 ? "first" : "second")
    ),
  ]);
  return element("figure", [caption, svg]);
}

/** The parts of a curve between which values are missing. */
function stretches(values: Curve["values"]): [place: number, value: number][][] {
  const parts: [number, number][][] = [[]];
  values.forEach((value, place) => {
    if (value === null) parts.push([]);
    else parts.at(-1)?.push([place, value]);
  });
  return parts.filter((part) => part.length > 0);
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
