import type { TimePart } from "../model/time_parts.ts";
import { significantText } from "./number_text.ts";
import { LABEL_WIDTH, labelled, WIDE } from "./labelled_lines.ts";
import { wrapItems } from "./wrap_items.ts";

const BAR_WIDTH = 40;

/** Where the time of requests goes: one line, or a bar for each part on a wide screen. */
export function timeLines(
  parts: readonly TimePart[],
  latencyMs: number | undefined,
  width: number,
): string[] {
  if (parts.length === 0 || latencyMs === undefined) return [];
  if (width < WIDE) {
    const texts = parts.map(({ name, share }) => `${name} ${percentText(share)}`);
    return labelled("time", wrapItems([...texts, `of ${msText(latencyMs)}`], width - LABEL_WIDTH));
  }
  const widest = Math.max(...parts.map(({ name }) => name.length));
  return labelled(
    "time",
    parts.map(({ ms, name, share, source }) =>
      [
        name.padEnd(widest),
        "#".repeat(Math.round(Math.max(0, Math.min(1, share)) * BAR_WIDTH)).padEnd(BAR_WIDTH),
        percentText(share).padStart(6),
        msText(ms).padStart(9),
        source,
      ].join("  ").slice(0, width - LABEL_WIDTH)
    ),
  );
}

function percentText(share: number): string {
  return `${significantText(share * 100, { digits: 2, maxDecimals: 1 })} %`;
}

function msText(ms: number): string {
  return `${significantText(ms)} ms`;
}
