/** Metrics of servers, next to the client's measurements. */

import { figureText, millisecondsText } from "../../core/chart/figure_text.ts";
import type { ColorName } from "../../core/chart/chart.ts";
import { element, escapedMarkup, shortNumber } from "../../core/chart/markup.ts";
import { paintOf } from "../../core/chart/palette.ts";
import { type RoleName, ROLES } from "../../telemetry/engines/roles.ts";
import { type Agreement, agreementOf, shareText } from "../console/agreement.ts";
import { percentText } from "../diagnosis/evidence_text.ts";
import { MS_PER } from "../model/milliseconds.ts";
import type { ProfileReport, Reconciliation } from "../model/profile_report.ts";
import type { RoleFigure } from "../model/role_figure.ts";
import type { ServerRoles } from "../model/server_roles.ts";
import type { ServerRole } from "../model/server_timeline.ts";
import { shownServers } from "../model/shown_servers.ts";
import { type RunView, wholeSpan } from "./run_view.ts";
import { unbroken } from "./unbroken.ts";
import { mark, type MarkName } from "./verdict_mark.ts";
import { serverTruthTable } from "./server_truth_table.ts";

const SPARK = { width: 140, height: 34 } as const;

/** Rows of the panel: role, its meaning, its line over time. */
const ROWS: readonly (readonly [
  role: RoleName,
  name: string,
  meaning: string,
  line?: ServerRole,
  color?: ColorName,
])[] = [
  ["running", "Running", "requests in the batch", "running", "decode"],
  ["waiting", "Waiting", "requests queued for a slot", "waiting", "queue"],
  ["kv_usage", "KV cache", "utilization of the KV cache", "kvUsage", "server"],
  ["preemptions", "Preemptions", "requests that lost their KV cache"],
  ["queue", "Queue time", "wait for a slot"],
  ["prefill", "Prefill time", "computing the prompt"],
  ["decode", "Decode time", "generating tokens"],
  ["ttft", "TTFT", "by the server's clock"],
  ["e2e", "Latency", "by the server's clock"],
];
/** Times of which those of the prefill instances are shown, where a pair has such. */
const OF_PREFILL: readonly RoleName[] = ["queue", "prefill"];
/** Roles whose absence limits the diagnosis. */
const EXPECTED: readonly RoleName[] = ["running", "waiting", "kv_usage", "queue", "prefill"];

/** The panel, and the comparison with the client. */
export function serverPanel(view: RunView): string {
  const { report, serverMetrics } = view;
  const rows = serverMetrics === undefined ? "" : rolesTable(view);
  const agreement = agreementTable(report);
  if (rows === "" && agreement === "") {
    return serverMetrics === undefined
      ? "<p>Server metrics were not collected.</p>\n"
      : `<p>No metrics came from ${
        escapedMarkup(serverMetrics.endpointsConfigured.join(", ") || "any endpoint")
      }.</p>\n`;
  }
  const truth = serverTruthTable(report);
  if (rows === "" || agreement === "") return `<div>${rows}${agreement}</div>\n${truth}`;
  return `<div class="columns"><div>${rows}</div><div>${agreement}</div></div>\n${truth}`;
}

function rolesTable(view: RunView): string {
  const { report, serverMetrics } = view;
  if (serverMetrics === undefined) return "";
  const { roles } = shownServers(serverMetrics, report);
  const rows = ROWS.flatMap(([role, name, meaning, line, color = "server"]) => {
    // A decode instance queues each request once more, and its prefill is one step.
    const figure = roles.figure(role, OF_PREFILL.includes(role) ? roles.prefilling : {});
    const texts = figure && valuesOf(figure);
    if (figure === undefined || texts === undefined) return [];
    const spark = line === undefined ? "" : sparkOf(view, line, color);
    const source = sourceOf(roles, role);
    return [
      `<tr><th scope="row">${name}<small>${meaning}${
        source === "" ? "" : `, <code>${breakable(source)}</code>`
      }</small></th>${
        texts.map((text) => `<td>${escapedMarkup(unbroken(text))}</td>`).join("")
      }<td class="spark">${spark}</td></tr>`,
    ];
  });
  const shares = (["prefix_hit_share", "cached_share"] as const).flatMap((name) => {
    const share = roles.share(name);
    return share === undefined ? [] : [
      `<tr><th scope="row">Prefix hits<small>share of prompt tokens from the prefix cache</small>` +
      `</th><td>${unbroken(percentText(share))}</td><td></td><td class="spark"></td></tr>`,
    ];
  }).slice(0, 1);
  if (rows.length + shares.length === 0) return "";
  const missing = EXPECTED.filter((role) => roles.figure(role) === undefined);
  const names = [...new Set(roles.engines.map(({ engine }) => engine.name))].join(", ");
  return [
    `<table class="panel"><thead><tr><th scope="col">${escapedMarkup(names)}</th>`,
    '<th scope="col">mean</th><th scope="col">max, p99 or sum</th>',
    '<th scope="col" class="spark"><span class="unseen">over time</span></th></tr></thead>',
    `<tbody>${rows.join("")}${shares.join("")}</tbody></table>`,
    missing.length === 0
      ? ""
      : `<p class="soft">Not reported: ${missing.map((role) => ROLES[role].label).join(", ")}.</p>`,
  ].join("");
}

/** Mean, and maximum, p99 or sum; undefined if nothing was observed. */
function valuesOf({ lateSeconds, role, stats, unit }: RoleFigure): [string, string] | undefined {
  const { avg = NaN, count = 0, max = NaN, total = NaN } = stats;
  switch (ROLES[role].kind) {
    case "time": {
      const toMs = MS_PER.get(unit);
      if (Number.isNaN(avg) || count === 0 || toMs === undefined) return undefined;
      const p99 = stats["p99_estimate"];
      return [
        millisecondsText(avg * toMs),
        p99 === undefined ? "" : `p99 ~${millisecondsText(p99 * toMs)}`,
      ];
    }
    case "count":
      return Number.isNaN(total) ? undefined : ["", figureText(total)];
    case "level": {
      if (Number.isNaN(avg) || lateSeconds !== undefined) return undefined;
      const isShare = unit === "ratio" || unit === "percent";
      const scale = unit === "percent" ? 0.01 : 1;
      const text = (value: number) => isShare ? percentText(value * scale) : figureText(value);
      return [text(avg), text(max)];
    }
  }
}

function sourceOf(roles: ServerRoles, role: RoleName): string {
  const [part] = roles.parts(role);
  return part?.source.names.join(", ") ?? "";
}

/** A long name that may be broken after its separators. */
function breakable(name: string): string {
  return escapedMarkup(name).replace(/[_:]/g, "$&<wbr>");
}

/** The level of all endpoints over the run, as small steps. */
function sparkOf(view: RunView, role: ServerRole, color: ColorName): string {
  const lines = view.serverTimeline.filter((line) => line.role === role);
  const [line] = lines;
  if (line === undefined || lines.length > 1 || line.timesNs.length < 2) return "";
  const { startNs, endNs } = wholeSpan(view);
  const most = Math.max(...line.values, 1e-9);
  const x = (ns: number) => shortNumber((ns - startNs) / (endNs - startNs) * SPARK.width);
  const y = (value: number) => shortNumber(SPARK.height - 2 - value / most * (SPARK.height - 6));
  const path = line.timesNs.flatMap((ns, index) => {
    if (ns < startNs || ns > endNs) return [];
    return [`H${x(ns)}V${y(line.values[index] as number)}`];
  }).join("").replace(/^H([^V]*)V([^H]*)/, "M$1 $2");
  return element(
    "svg",
    { viewBox: `0 0 ${SPARK.width} ${SPARK.height}`, "aria-hidden": "true" },
    element("path", { d: path, fill: "none", stroke: paintOf(color, false), "stroke-width": 1.4 }),
  );
}

const VERDICTS: Readonly<Record<Agreement["verdict"], readonly [MarkName, string]>> = {
  "agree": ["valid", "agree"],
  "within bounds": ["valid", "within the server's bucket"],
  "differ": ["suspect", "differ"],
  "unknown": ["unproven", "estimate"],
};

/** Returns the counts and measurements of both sides; empty if the server reports none. */
function agreementTable(report: ProfileReport): string {
  const { reconciliation } = report;
  if (reconciliation.length === 0) return "";
  const rows = reconciliation.map((row) => {
    const { client, estimated, quantity, server, sources, unit } = row;
    const { reason, share, verdict } = agreementOf(row, report);
    const [icon, word] = VERDICTS[verdict];
    const text = reason ?? (verdict === "differ" ? "cause not known" : word);
    const cells = [
      figureText(client),
      (estimated ? "~" : "") + figureText(server),
      share === undefined ? "" : shareText(share),
    ];
    return `<tr><th scope="row">${escapedMarkup(quantity)} <span class="unit">${
      unit === "ms" ? "ms" : ""
    }</span>${
      sources === undefined ? "" : `<small>${escapedMarkup(sources.join(" / "))}</small>`
    }` +
      `</th>${
        cells.map((cell) => `<td>${escapedMarkup(unbroken(cell))}</td>`).join("")
      }<td class="text">${mark(icon, { word })}<small>${escapedMarkup(text)}</small></td></tr>`;
  });
  return [
    '<table class="agreement"><thead><tr><th scope="col">client and server</th>',
    '<th scope="col">client</th><th scope="col">server</th><th scope="col">difference</th>',
    `<th scope="col" class="text">reason</th></tr></thead><tbody>${rows.join("")}</tbody></table>`,
  ].join("");
}

/** Whether both sides agree, for the title of the part. */
export function serverTitle({ report, serverMetrics }: RunView): string {
  const rows: readonly Reconciliation[] = report.reconciliation;
  if (serverMetrics === undefined || rows.length === 0) return "Server";
  const differing = rows.filter((row) => agreementOf(row, report).verdict === "differ");
  return differing.length === 0
    ? "Client and server agree"
    : `Client and server differ in ${differing.map(({ quantity }) => quantity).join(", ")}`;
}
