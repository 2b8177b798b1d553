/**
 * Fields of a user's own list, in the form that dcgm-exporter and AIPerf take: lines of
 * `DCGM_FIELD, gauge|counter|label, help`, comments after `#`.
 */

import { GPU_FIELDS, type GpuField } from "./gpu_fields.ts";

/** A line that cannot be used. */
export class CustomFieldError extends SyntaxError {
  override readonly name = "CustomFieldError";
  /** Counted from 1. */
  readonly line: number;

  constructor(message: string, line: number) {
    super(message);
    this.line = line;
  }
}

/** Units that a help text may name as `(in X)`, in any case, and how AIPerf writes them. */
const UNITS: ReadonlyMap<string, string> = new Map([
  ["w", "W"],
  ["%", "%"],
  ["percent", "%"],
  ["gb", "GB"],
  ["gib", "GiB"],
  ["mb", "MB"],
  ["mib", "MiB"],
  ["kb", "KB"],
  ["kib", "KiB"],
  ["mhz", "MHz"],
  ["ghz", "GHz"],
  ["c", "°C"],
  ["°c", "°C"],
  ["celsius", "°C"],
  ["us", "us"],
  ["ms", "ms"],
  ["s", "sec"],
  // The case tells milli from mega.
  ["mJ", "mJ"],
  ["mj", "MJ"],
  ["j", "J"],
]);
const NO_UNIT = "count";
/** Words that AIPerf writes in capitals. */
const ACRONYMS = /^(gpu|xid|sm|nvlink|pci|pcie|cpu|ram|vram|ecc)$/i;

/**
 * Reads the list. Fields that are reported anyway are left out.
 * @throws {CustomFieldError} if a line is none of the form
 */
export function parseCustomFields(text: string): GpuField[] {
  const known = new Set(GPU_FIELDS.flatMap(({ sources }) => sources.map(({ name }) => name)));
  const fields: GpuField[] = [];
  text.replace(/^\uFEFF/, "").split(/\r?\n/).forEach((whole, index) => {
    const line = whole.trim();
    if (line === "" || line.startsWith("#")) return;
    const [field = "", type = "", ...help] = line.split(",").map((part) => part.trim());
    const number = index + 1;
    if (help.length === 0) {
      throw new CustomFieldError("Expected a DCGM field, a type and a help text", number);
    }
    if (!/^DCGM_FI_\w+$/.test(field)) {
      throw new CustomFieldError(
        `Expected a name that begins with DCGM_FI_, got "${field}"`,
        number,
      );
    }
    // A label of the other metrics, which has no numbers.
    if (type === "label") return;
    if (type !== "gauge" && type !== "counter") {
      throw new CustomFieldError(`Expected gauge, counter or label, got "${type}"`, number);
    }
    if (known.has(field)) return;
    known.add(field);
    fields.push(customField(field, type, help.join(", ")));
  });
  return fields;
}

function customField(field: string, type: "gauge" | "counter", help: string): GpuField {
  const suffix = field.replace(/^DCGM_FI_(DEV_|PROF_)/, "").toLowerCase();
  const key = `nvidia_${suffix}`;
  const named = (help.split("(")[0] as string).trim();
  const unit = /\(in\s+([^\s)]+)\)/i.exec(help)?.[1] ?? "";
  return {
    key,
    header: titled(named === "" ? key.replaceAll("_", " ") : named),
    unit: UNITS.get(unit) ?? UNITS.get(unit.toLowerCase()) ?? NO_UNIT,
    kind: type,
    platform: "nvidia",
    sources: [{ name: field.replace(/_TOTAL$|_total$/, ""), scale: 1 }],
  };
}

function titled(text: string): string {
  return text.split(/\s+/).map((word) =>
    ACRONYMS.test(word)
      ? word.toUpperCase()
      : `${word.slice(0, 1).toUpperCase()}${word.slice(1).toLowerCase()}`
  ).join(" ");
}
