const LEVELS = ["▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"];
/** Rows are filled from below; an empty one is blank, but for the lowest. */
const EMPTY = " ";

/**
 * A curve in one line of characters, the newest value at its right end; the scale begins at zero and
 * ends at the largest value that is shown. Values that are no numbers leave a blank.
 */
export function sparkline(values: readonly number[], width: number): string {
  return sparkRows(values, width, 1)[0] as string;
}

/** Returns a sparkline of several lines, the highest first. */
export function sparkRows(values: readonly number[], width: number, height: number): string[] {
  const shown = width > 0 ? values.slice(-width) : [];
  const max = shown.reduce((most, value) => value > most ? value : most, 0);
  const steps = shown.map((value) => {
    if (!Number.isFinite(value)) return undefined;
    return max > 0 ? Math.max(1, Math.round(Math.max(0, value) / max * height * 8)) : 1;
  });
  return Array.from({ length: height }, (_, row) => {
    const below = (height - 1 - row) * 8;
    const curve = steps.map((step) => {
      if (step === undefined || step <= below) return EMPTY;
      return LEVELS[Math.min(8, step - below) - 1] as string;
    }).join("");
    return curve.padStart(width, EMPTY);
  });
}
