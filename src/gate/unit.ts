/** Units of gates: what users write, and what metrics are in, as multiples of the same base. */

/** A unit: what it measures, as `time`, `tokens/time` or `time/image`, and how much of the base. */
export interface Unit {
  readonly dimension: string;
  readonly factor: number;
}

/** Simple units by their names in lower case. */
const UNITS: ReadonlyMap<string, Unit> = new Map([
  ...family("time", {
    1e-9: ["ns", "nanoseconds"],
    1e-6: ["us", "µs", "μs", "microseconds"],
    1e-3: ["ms", "milliseconds"],
    1: ["s", "sec", "second", "seconds"],
    60: ["min", "m", "minutes"],
    3600: ["h", "hours"],
  }),
  ...family("share", { 0.01: ["%", "percent", "pct"], 1: ["ratio", "share"] }),
  ...family("bytes", {
    1: ["b", "bytes", "byte"],
    1024: ["kb", "kib", "kilobytes"],
    1048576: ["mb", "mib", "megabytes"],
    1073741824: ["gb", "gib", "gigabytes"],
  }),
  ...family("tokens", { 1: ["tokens", "token", "tok", "t"] }),
  ...family("requests", { 1: ["requests", "request", "req", "r"] }),
  ...family("images", { 1: ["images", "image"] }),
  ...family("requests/time", { 1: ["rps", "qps"] }),
  ...family("tokens/time", { 1: ["tps"] }),
]);

function family(
  dimension: string,
  names: Readonly<Record<number, readonly string[]>>,
): [string, Unit][] {
  return Object.entries(names).flatMap(([factor, texts]) =>
    texts.map((text): [string, Unit] => [text, { dimension, factor: Number(factor) }])
  );
}

/** Reads a unit: `ms`, `%`, `tokens/s`, `/min`, `tokens/sec/user`; undefined if it is none. */
export function unitOf(text: string): Unit | undefined {
  const simple = UNITS.get(text.toLowerCase());
  if (simple !== undefined) return simple;
  const [head = "", ...per] = text.toLowerCase().split("/");
  const base = head === "" ? { dimension: "", factor: 1 } : UNITS.get(head);
  if (base === undefined || per.length === 0) return undefined;
  let { dimension, factor } = base;
  for (const part of per) {
    if (part === "user" || part === "image") {
      dimension += `/${part}`;
      continue;
    }
    const unit = UNITS.get(part);
    if (unit?.dimension !== "time") return undefined;
    dimension += "/time";
    factor /= unit.factor;
  }
  return { dimension, factor };
}

/**
 * How many of a metric's units a unit is; undefined if it measures something else. What is counted,
 * and by what it is divided besides time, may be left out: `/s` is a rate of anything.
 */
export function unitRatio(written: Unit, own: Unit): number | undefined {
  const fits = own.dimension === written.dimension ||
    own.dimension.startsWith(`${written.dimension}/`) ||
    (written.dimension === "/time" && /^[a-z]*\/time/.test(own.dimension));
  return fits ? written.factor / own.factor : undefined;
}

/** A metric's unit as people read it. */
export function unitText(unit: string): string {
  const text = unit.replace(/\bsec\b/g, "s").replace(/^seconds$/, "s")
    .replace(/^milliseconds$/, "ms").replace(/^percent$/, "%");
  return text === "ratio" || text === "count" ? "" : text;
}
