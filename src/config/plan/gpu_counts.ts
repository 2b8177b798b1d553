import { UsageError } from "../options/usage_error.ts";

const OPTION = "--gpus";
const MAX_GPUS = 1_000_000;

/** GPUs that serve the load, as the user states them. */
export interface GpuCounts {
  readonly total: number;
  /** GPUs of the instances that only prefill, and of those that only decode; absent if not stated. */
  readonly prefill?: number;
  readonly decode?: number;
}

/**
 * Reads `8`, or `prefill=4 decode=8`.
 * @returns undefined if nothing is stated
 * @throws {UsageError} for anything else
 */
export function parseGpuCounts(words: readonly string[] | undefined): GpuCounts | undefined {
  const parts = (words ?? []).flatMap((word) => word.split(",")).map((part) => part.trim())
    .filter((part) => part !== "");
  if (parts.length === 0) return undefined;
  const fail = (): never => {
    throw new UsageError(
      OPTION,
      `Must be a number of GPUs, or prefill=N decode=N: got ${JSON.stringify(parts.join(" "))}`,
    );
  };
  const counts = new Map<string, number>();
  for (const part of parts) {
    const [, name = "total", digits = ""] = /^(?:(prefill|decode)=)?(\d+)$/.exec(part) ?? fail();
    const count = Number(digits);
    if (count < 1 || count > MAX_GPUS || counts.has(name)) fail();
    counts.set(name, count);
  }
  const [total, prefill, decode] = ["total", "prefill", "decode"].map((name) => counts.get(name));
  if (total !== undefined) return counts.size === 1 ? { total } : fail();
  if (prefill === undefined || decode === undefined) return fail();
  return { total: prefill + decode, prefill, decode };
}
