/** A number with separators of thousands and two decimals: 12,345.68. */
export function fullNumber(value: number): string {
  return grouped(value, 2);
}

/** A number with separators of thousands and no decimals: 12,346. */
export function wholeNumber(value: number): string {
  return grouped(value, 0);
}

/** A number in at most seven characters, besides its sign: 12,346, 123.5, 1.23, 1.2e+9. */
export function shortNumber(value: number): string {
  const size = Math.abs(value);
  if (size >= 999_999.5) return value.toExponential(1);
  return grouped(value, size >= 1000 ? 0 : size >= 100 ? 1 : 2);
}

/** Precision of {@linkcode significantText}. */
export interface Precision {
  /** @default 3 */
  readonly digits?: number;
  /** @default 3 */
  readonly maxDecimals?: number;
}

/** A number with as many digits as mean something: 8.01, 12.3, 105; whole ones stay whole. */
export function significantText(
  value: number,
  { digits = 3, maxDecimals = 3 }: Precision = {},
): string {
  if (!Number.isFinite(value)) return "-";
  const rounded = Math.abs(Number(value.toPrecision(digits)));
  if (rounded < 0.5 * 10 ** -maxDecimals) return "0";
  if (rounded >= 1e9) return value.toExponential(digits - 1);
  const decimals = digits - 1 - Math.floor(Math.log10(rounded));
  return grouped(value, Math.max(0, Math.min(maxDecimals, decimals)));
}

/** Things with their number: 1 request, 12,346 requests. */
export function countedText(count: number, noun: string): string {
  return `${wholeNumber(count)} ${noun}${count === 1 ? "" : "s"}`;
}

/** A share in percent: 12.3 %. */
export function percentText(share: number): string {
  return `${significantText(share * 100, { maxDecimals: 1 })} %`;
}

/** A count as it is, a mean of counts with three digits. */
export function countText(value: number): string {
  return Number.isInteger(value) && Math.abs(value) < 1e9
    ? wholeNumber(value)
    : significantText(value, { maxDecimals: 2 });
}

/** A time that is still to come, as rough as it is known: 3 s, 12 min, 2.5 h. */
export function roughDuration(seconds: number): string {
  if (seconds < 99.5) return `${Math.round(seconds)} s`;
  const minutes = seconds / 60;
  return minutes < 99.5 ? `${Math.round(minutes)} min` : `${(minutes / 60).toFixed(1)} h`;
}

/**
 * Elapsed of planned time: `12 of 45 s`, `3 min of 2.0 h`.
 * @param planned in seconds; NaN if no duration is planned
 */
export function elapsedText(seconds: number, planned: number): string {
  if (Number.isNaN(planned)) return roughDuration(seconds);
  const elapsed = Math.min(seconds, planned);
  return planned < 100
    ? `${Math.floor(elapsed)} of ${Number(planned.toPrecision(3))} s`
    : `${roughDuration(elapsed)} of ${roughDuration(planned)}`;
}

/** {@linkcode significantText}, or nothing where there is no number. */
export function knownText(value: number | undefined, maxDecimals = 3): string {
  return value === undefined || Number.isNaN(value) ? "" : significantText(value, { maxDecimals });
}

/**
 * A number with commas between thousands. By hand, because a runtime's first look at its locale data takes longer than a whole table.
 */
export function grouped(value: number, decimals: number): string {
  const [whole = "", fraction] = value.toFixed(decimals).split(".");
  const separated = whole.replace(/\B(?=(\d{3})+$)/g, ",");
  return fraction === undefined ? separated : `${separated}.${fraction}`;
}

/** A duration in seconds for people: 850 ms, 12.3 s, 4 min 05 s, 2 h 03 min. */
export function durationText(seconds: number): string {
  if (seconds < 0.9995) return `${Math.round(seconds * 1000)} ms`;
  if (seconds < 59.95) return `${seconds.toFixed(1)} s`;
  const whole = Math.round(seconds);
  const two = (value: number): string => String(value).padStart(2, "0");
  if (whole < 3600) return `${Math.floor(whole / 60)} min ${two(whole % 60)} s`;
  return `${Math.floor(whole / 3600)} h ${two(Math.floor(whole / 60) % 60)} min`;
}
