/** Where the time of a request goes, on average. */

import type { ColorName } from "../../core/chart/chart.ts";
import { millisecondsText } from "../../core/chart/figure_text.ts";
import { element, escapedMarkup } from "../../core/chart/markup.ts";
import { paintOf } from "../../core/chart/palette.ts";
import { distributionOf } from "../../measurement/metrics/metric_results.ts";
import type { MetricTag } from "../../measurement/metrics/metric_tag.ts";
import type { RoleName } from "../../telemetry/engines/roles.ts";
import { MS_PER } from "../model/milliseconds.ts";
import { isOfPair } from "../model/server_truth.ts";
import type { ServerMetricsReport } from "../model/server_metrics_report.ts";
import type { TimeShare, TimeShares } from "./time_share.ts";
import { ttftShare } from "./ttft_share.ts";
import type { RunView } from "./run_view.ts";

const CLIENT:
  readonly (readonly [tag: MetricTag, label: string, color: ColorName, about: string])[] = [
    ["queue_wait", "queue wait", "purple", "waiting for a free slot (client queue)"],
    ["http_req_blocked", "blocked", "grey", "waiting for a connection"],
    ["http_req_dns_lookup", "name lookup", "purple", "asking for the address"],
    ["http_req_connecting", "connect", "vermilion", "making a connection, TLS included"],
    ["http_req_sending", "send", "orange", "writing the request"],
    ["http_req_waiting", "wait", "client", "time to first byte: network, server queue, prefill"],
    ["http_req_receiving", "receive", "decode", "from the reply's first byte to its last"],
  ];

/** Roles of engines: what comes before them is no time of the engine. */
const SERVER: readonly (readonly [
  role: RoleName,
  label: string,
  color: ColorName,
  about: string,
])[] = [
  ["queue", "queue", "queue", "waiting to be scheduled"],
  ["prefill", "prefill", "prefill", "processing the prompt"],
  ["decode", "decode", "decode", "generating tokens"],
];

/** The parts that are known, by the client and by the servers' metrics. */
export function timeShares({ report, serverMetrics }: RunView): TimeShares[] {
  const ttft = ttftShare(report.serverTruth);
  const client = clientShares((tag) => distributionOf(report.results, tag)?.avg);
  // The instances of a pair do different parts of a request: their means do not go together.
  const isPair = report.serverTruth !== undefined && isOfPair(report.serverTruth);
  const server = (isPair ? [] : SERVER).flatMap(
    ([role, label, color, explanation]): TimeShare[] => {
      const ms = meanMs(serverMetrics, role);
      return ms === undefined ? [] : [{ label, ms, color, explanation }];
    },
  );
  return [
    ...titled("client", client, "A request spends"),
    ...titled("server", server, "On the server it spends"),
    ...(ttft === undefined ? [] : [ttft]),
  ];
}

/**
 * The parts that a client knows.
 * @param meanOf mean of a metric in milliseconds; undefined if there is none
 */
export function clientShares(meanOf: (tag: MetricTag) => number | undefined): TimeShare[] {
  return CLIENT.flatMap(([tag, label, color, explanation]): TimeShare[] => {
    const ms = meanOf(tag);
    return ms === undefined ? [] : [{ label, ms, color, explanation }];
  });
}

function titled(
  side: "client" | "server",
  parts: readonly TimeShare[],
  begin: string,
): TimeShares[] {
  const total = totalMs(parts);
  const largest = parts.toSorted((a, b) => b.ms - a.ms)[0];
  if (largest === undefined || total === 0) return [];
  const percent = Math.round(largest.ms / total * 100);
  const title = `${begin} ${percent} % of its time on ${largest.label}: ${largest.explanation}`;
  return [{ side, title, basis: `Mean of all valid requests, by the ${side}`, parts }];
}

/** The time of all parts together. */
export function totalMs(parts: readonly TimeShare[]): number {
  return parts.reduce((sum, { ms }) => sum + ms, 0);
}

function meanMs(metrics: ServerMetricsReport | undefined, role: RoleName): number | undefined {
  const figure = metrics?.roles.figure(role, { layers: ["engine"] });
  const mean = figure?.stats["avg"];
  return mean === undefined ? undefined : mean * (MS_PER.get(figure?.unit ?? null) ?? 1);
}

/**
 * Returns one bar of all parts, each as wide as its time.
 * @param total the time that corresponds to the width of the chart
 */
export function timeShareSvg(
  { title, parts }: Pick<TimeShares, "title" | "parts">,
  width: number,
  isFile: boolean,
  total = totalMs(parts),
): string {
  const height = 64;
  const top = isFile ? 26 : 4;
  let left = 0;
  const bars = parts.map(({ label, ms, color }) => {
    const x = left;
    const w = ms / total * width;
    left += w;
    const bar = element(
      "rect",
      { x, y: top, width: Math.max(w, 0.5), height: 26, fill: paintOf(color, isFile) },
      element("title", {}, escapedMarkup(`${label}: ${millisecondsText(ms)}`)),
    );
    const text = `${label} ${millisecondsText(ms)}`;
    if (w < text.length * 6.5) return bar;
    return bar +
      element(
        "text",
        { x: x + 6, y: top + 17, fill: "#fff", "font-weight": 600 },
        escapedMarkup(text),
      );
  });
  const heading = element(
    "text",
    { x: 0, y: 16, "font-size": 14, fill: "#111" },
    escapedMarkup(title),
  );
  return element(
    "svg",
    {
      ...(isFile ? { xmlns: "http://www.w3.org/2000/svg", width, height } : {}),
      viewBox: `0 0 ${width} ${isFile ? height : 34}`,
      role: "img",
      "aria-label": title,
      "font-family": "system-ui, sans-serif",
      "font-size": 11,
    },
    (isFile ? element("rect", { width, height, fill: "#fff" }) + heading : "") + bars.join(""),
  );
}
