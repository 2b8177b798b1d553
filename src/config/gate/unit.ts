/** Units of gates: what users write, and what metrics are in, as multiples of the same base. */

/** A unit: what it measures, as `time`, `tokens/time` or `time/image`, and how much of the base. */
export interface Unit {
  readonly dimension: string;
  readonly factor: number;
}

/** Simple units by their names: in lower case, or as written if the case determines the unit. */
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
  ...family("requests", { 1: ["requests", "request", "req", "r", "good-req"] }),
  ...family("images", { 1: ["images", "image"] }),
  ...family("requests/time", { 1: ["rps", "qps"] }),
  ...family("tokens/time", { 1: ["tps"] }),
  ...family("power", { 1: ["w", "watt", "watts"], 1e3: ["kw"], 1e-3: ["mW"], 1e6: ["MW"] }),
  ...family("energy", {
    1e-3: ["mJ", "millijoules"],
    1: ["j", "joule", "joules"],
    1e3: ["kj"],
    1e6: ["MJ", "megajoules"],
    3600: ["wh"],
    3.6e6: ["kwh"],
  }),
  ...family("energy*time", { 1: ["j*s"] }),
  ...family("frequency", { 1e6: ["mhz"], 1e9: ["ghz"] }),
  ...family("temperature", { 1: ["°c", "c", "celsius"] }),
]);

function family(
  dimension: string,
  names: Readonly<Record<number, readonly string[]>>,
): [string, Unit][] {
  return Object.entries(names).flatMap(([factor, texts]) =>
    texts.map((text): [string, Unit] => [text, { dimension, factor: Number(factor) }])
  );
}

/** Units that may be a divisor. */
const DIVISORS = new Set(["time", "tokens", "requests", "images", "power", "energy"]);

/**
 * Reads a unit: `ms`, `%`, `tokens/s`, `/min`, `mJ/token`; undefined if the text is not a unit.
 */
export function unitOf(text: string): Unit | undefined {
  const simple = simpleUnit(text);
  if (simple !== undefined) return simple;
  const [head = "", ...per] = text.split("/");
  const base = head === "" ? { dimension: "", factor: 1 } : simpleUnit(head);
  if (base === undefined || per.length === 0) return undefined;
  let { dimension, factor } = base;
  for (const part of per) {
    if (part.toLowerCase() === "user") {
      dimension += "/user";
      continue;
    }
    const unit = simpleUnit(part);
    if (unit === undefined || !DIVISORS.has(unit.dimension)) return undefined;
    dimension += `/${unit.dimension}`;
    factor /= unit.factor;
  }
  return { dimension, factor };
}

function simpleUnit(text: string): Unit | undefined {
  return UNITS.get(text) ?? UNITS.get(text.toLowerCase());
}

/**
 * Reads a unit with decimal prefixes, in which a kilobyte is 1000 bytes, as reported by GPU
 * exporters.
 */
export function decimalUnitOf(text: string): Unit | undefined {
  const power = ["b", "kb", "mb", "gb"].indexOf(text.toLowerCase());
  return power < 0 ? unitOf(text) : { dimension: "bytes", factor: 1000 ** power };
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
    .replace(/^milliseconds$/, "ms").replace(/^percent$/, "%").replace(/\bjoules\b/, "J");
  return text === "ratio" || text === "count" ? "" : text;
}
