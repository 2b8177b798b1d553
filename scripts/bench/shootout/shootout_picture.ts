import { median } from "../median.ts";
import { OURS } from "../product.ts";
import type { Level } from "./shootout_client.ts";
import { entriesOf } from "./shootout_report.ts";
import type { ShootoutOutcome } from "./shootout_run.ts";

const WIDTH = 760;
const LABELS = 130;
const MARGIN = 20;
const ROW = 26;
const PANEL_HEAD = 34;
const AXIS = 26;
const TRUE_COLOR = "#888888";
const OURS_COLOR = "#0b6e4f";
const OTHERS_COLOR = "#c0392b";
const TICKS = [10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000];

/**
 * A picture of the times to the first token: for each client a grey bar from the true median to the
 * true 99th percentile, above it what it reported, on a logarithmic scale.
 */
export function shootoutPicture(
  outcomes: readonly ShootoutOutcome[],
  levels: readonly Level[],
): string {
  const shown = levels.filter(({ name, failureShare }) =>
    failureShare === 0 && entriesOf(outcomes, name).length > 0
  );
  const times = outcomes.filter(({ level }) => shown.some(({ name }) => name === level))
    .flatMap(({ reported, ttft }) => [reported.ttft.p50, reported.ttft.p99, ttft.p50, ttft.p99]);
  const leastMs = Math.min(...times) * 0.8;
  const mostMs = Math.max(...times) * 1.3;
  const scale = (WIDTH - LABELS - MARGIN) / Math.log(mostMs / leastMs);
  const x = (ms: number): number => LABELS + Math.log(ms / leastMs) * scale;
  const parts: string[] = [];
  let top = PANEL_HEAD;
  parts.push(legend());
  for (const { name } of shown) {
    const entries = entriesOf(outcomes, name);
    const bottom = top + PANEL_HEAD + entries.length * ROW;
    parts.push(text(MARGIN, top + 20, name, "start", "bold"));
    for (const ms of TICKS.filter((tick) => tick >= leastMs && tick <= mostMs)) {
      parts.push(
        `<line x1="${n(x(ms))}" y1="${top + PANEL_HEAD - 6}" x2="${n(x(ms))}" y2="${bottom}" ` +
          `stroke="#dddddd"/>`,
        text(x(ms), bottom + 14, `${ms} ms`, "middle"),
      );
    }
    entries.forEach(({ client, runs }, index) => {
      const y = top + PANEL_HEAD + index * ROW + ROW / 2;
      const middle = (value: (run: ShootoutOutcome) => number) => median(runs.map(value));
      const color = client === OURS ? OURS_COLOR : OTHERS_COLOR;
      parts.push(
        text(LABELS - 8, y + 4, client, "end"),
        bar(x(middle((run) => run.ttft.p50)), x(middle((run) => run.ttft.p99)), y + 3, TRUE_COLOR),
        bar(
          x(middle((run) => run.reported.ttft.p50)),
          x(middle((run) => run.reported.ttft.p99)),
          y - 5,
          color,
        ),
      );
    });
    top = bottom + AXIS;
  }
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${top}" ` +
    `font-family="sans-serif" font-size="12">\n<rect width="${WIDTH}" height="${top}" ` +
    `fill="#ffffff"/>\n${parts.join("\n")}\n</svg>\n`;
}

function legend(): string {
  return [
    text(MARGIN, 18, "Time to first token, p50 to p99:", "start"),
    bar(230, 260, 10, TRUE_COLOR),
    text(268, 18, "true (the server's)", "start"),
    bar(400, 430, 10, OTHERS_COLOR),
    text(438, 18, "reported", "start"),
    bar(510, 540, 10, OURS_COLOR),
    text(548, 18, "reported by inferometer", "start"),
  ].join("\n");
}

function bar(from: number, to: number, y: number, color: string): string {
  const width = Math.max(3, to - from);
  return `<rect x="${n(from)}" y="${n(y)}" width="${n(width)}" height="6" rx="2" fill="${color}"/>`;
}

function text(
  x: number,
  y: number,
  content: string,
  anchor: "start" | "middle" | "end",
  weight = "normal",
): string {
  return `<text x="${n(x)}" y="${n(y)}" text-anchor="${anchor}" font-weight="${weight}" ` +
    `fill="#222222">${content.replaceAll("&", "&amp;").replaceAll("<", "&lt;")}</text>`;
}

function n(value: number): string {
  return value.toFixed(1);
}
