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

/** By hand, because a runtime's first look at its locale data takes longer than a whole table. */
function grouped(value: number, decimals: number): string {
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
