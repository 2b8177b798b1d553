/** Columns of a terminal from which reports use its width. */
export const WIDE = 115;

/** Columns of the labels in front of lines of a report. */
export const LABEL_WIDTH = 8;

/** Lines behind a label, the later ones below the first; nothing without lines. */
export function labelled(label: string, lines: readonly string[]): string[] {
  return lines.map((line, index) =>
    `${(index === 0 ? label : "").padEnd(LABEL_WIDTH)}${line}`.trimEnd()
  );
}
