/** Three significant digits with separated thousands; `?` for what is not known. */
export function threeDigits(value: number | undefined): string {
  if (value === undefined || Number.isNaN(value)) return "?";
  const size = Math.abs(value);
  if (size >= 100) return Math.round(value).toLocaleString("en-US");
  if (size >= 10) return String(Number(value.toFixed(1)));
  if (size >= 1) return String(Number(value.toFixed(2)));
  return String(Number(value.toPrecision(2)));
}

/** Formats a time in ms, or in seconds if it is at least 10 s. */
export function msText(ms: number | undefined): string {
  if (ms === undefined) return "?";
  return ms >= 10_000 ? `${Number((ms / 1000).toPrecision(3))} s` : `${threeDigits(ms)} ms`;
}

/** A share in percent. */
export function percentText(share: number): string {
  const percent = share * 100;
  return `${share >= 0.095 || share === 0 ? percent.toFixed(0) : percent.toFixed(1)} %`;
}
