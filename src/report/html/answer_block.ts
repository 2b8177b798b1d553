/** The answers of a run: the diagnosis with the bar that proves it, and three questions. */

import { millisecondsText } from "../../core/chart/figure_text.ts";
import { element, escapedMarkup } from "../../core/chart/markup.ts";
import { paintOf } from "../../core/chart/palette.ts";
import { distributionOf, valueOf } from "../../measurement/metrics/metric_results.ts";
import {
  type Answer,
  diagnosisTone,
  goodEnough,
  itemMark,
  limit,
  publishable,
} from "../console/answers.ts";
import { gateOutcome } from "../console/gate_outcome.ts";
import { type Remark, remarks } from "../console/remarks.ts";
import { percentText } from "../diagnosis/evidence_text.ts";
import { evidenceOf } from "../model/evidence_of.ts";
import type { ProfileReport } from "../model/profile_report.ts";
import { publishability } from "../model/publish_checklist.ts";
import { shownWindow } from "../model/shown_window.ts";
import { type TimePart, timeParts } from "../model/time_parts.ts";
import { shareText } from "./findings.ts";
import { answerPart } from "./page_frame.ts";
import { PART_COLORS, PART_ORDER } from "./part_colors.ts";
import type { RunView } from "./run_view.ts";
import { shareBarSvg } from "./share_bar.ts";
import { unbroken } from "./unbroken.ts";
import { mark, type MarkName, outcomeMark } from "./verdict_mark.ts";

/** Parts too small to be seen are left out of the bar. */
const MIN_SHARE = 0.0005;
/** Items of an answer. */
const MAX_ITEMS = 4;

/** See the module's comment. */
export function answerBlock(view: RunView): string {
  return diagnosisPart(view) + threeAnswers(view.report) + remarkList(view);
}

function diagnosisPart(view: RunView): string {
  const { diagnosis } = view.report;
  const bar = shareBar(view);
  if (diagnosis === undefined) return bar === "" ? "" : `<div class="answer">${bar}</div>\n`;
  const [, head = "", rest = ""] = /^([^:]+)(.*)$/s.exec(diagnosis.text) ?? [];
  const { cause, code, try: remedies } = diagnosis;
  const list = remedies.length === 0
    ? ""
    : `<h3>Try</h3><ul class="try">${
      remedies.map((text) => `<li>${escapedMarkup(unbroken(text))}</li>`).join("")
    }</ul>`;
  return answerPart(
    "Diagnosis",
    `<span class="is-${diagnosisTone(code)}">${escapedMarkup(head)}</span>${
      escapedMarkup(unbroken(rest))
    }`,
    escapedMarkup(unbroken(cause ?? "")),
    bar + list,
  );
}

/** Where the mean time of a request goes; empty where the first token is not visible. */
function shareBar({ report, serverMetrics }: RunView): string {
  const parts = timeParts(evidenceOf(report, serverMetrics)).filter(({ share }) =>
    share > MIN_SHARE
  );
  const shown = shownWindow(report);
  const latency = distributionOf(shown.results, "request_latency");
  if (parts.length === 0 || latency === undefined) return "";
  const inOrder = PART_ORDER.flatMap((name) => parts.filter((part) => part.name === name));
  const total = parts.reduce((sum, { ms }) => sum + ms, 0);
  const bars = inOrder.map(({ ms, name }) => ({
    color: PART_COLORS[name],
    value: ms,
    content: element(
      "title",
      {},
      `${name}: ${millisecondsText(ms)}, ${percentText(ms / latency.avg)}`,
    ),
  }));
  const texts = parts.map(({ ms, name, share }) =>
    `${name} ${millisecondsText(ms)}, ${percentText(share)}`
  );
  const keys = parts.map(({ ms, name, share, source }) =>
    `<li title="${escapedMarkup(source)}"><svg aria-hidden="true" viewBox="0 0 11 11"><rect ` +
    `width="11" height="11" rx="2" fill="${
      paintOf(PART_COLORS[name], false)
    }"/></svg><b>${name}</b> ${unbroken(`${millisecondsText(ms)}, ${percentText(share)}`)}</li>`
  );
  const svg = shareBarSvg(
    bars,
    total,
    `Where a request's ${millisecondsText(latency.avg)} goes: ${texts.join("; ")}`,
  );
  const window = shown.name === "steady" ? " in the steady window" : "";
  return `<figure class="shares"><figcaption>Where a request's ${
    unbroken(millisecondsText(latency.avg))
  } goes <small>mean of ${
    escapedMarkup(unbroken(`${latency.count.toLocaleString("en-US")} requests`))
  }${window}; ${sourcesText(parts)}</small></figcaption>${svg}<ul class="keys">${
    keys.join("")
  }</ul></figure>`;
}

/** Who measured the parts. */
function sourcesText(parts: readonly TimePart[]): string {
  const by = (source: TimePart["source"]): string =>
    parts.filter((part) => part.source === source).map(({ name }) => name).join(" and ");
  const [client, server] = [by("client"), by("server")];
  const rest = by("client TTFT minus the server's parts");
  return [
    ...(server === "" ? [] : [`${server} by the server`]),
    ...(client === "" ? [] : [`${client} by the client`]),
    ...(rest === "" ? [] : [`${rest} is the rest of TTFT`]),
  ].join(", ");
}

function threeAnswers(report: ProfileReport): string {
  return '<div class="three">' + [
    answer("Is it good enough?", goodEnough(report), objectiveItems(report)),
    answer("What limits it?", limit(report), evidenceItems(report)),
    answer("Can I publish this number?", publishable(report), checkItems(report)),
  ].join("") + "</div>\n";
}

function answer(question: string, { text, tone }: Answer, items: readonly string[]): string {
  const list = items.length === 0 ? "" : `<ul>${items.join("")}</ul>`;
  return `<div><h2>${question}</h2><p class="reply is-${tone}">${
    escapedMarkup(unbroken(text))
  }</p>${list}</div>`;
}

function item(name: string, value: string, icon = "", source = ""): string {
  const small = source === "" ? "" : ` <small>${escapedMarkup(source)}</small>`;
  const shown = value === "" ? "" : `<span class="value">${escapedMarkup(unbroken(value))}</span>`;
  return `<li>${icon}<span>${escapedMarkup(unbroken(name))}${small}</span>${shown}</li>`;
}

const METRIC_NAMES: Readonly<Record<string, string>> = {
  "time_to_first_token": "TTFT",
  "inter_token_latency": "ITL",
  "request_latency": "latency",
};

/** The objectives, missed ones first; the others are in the table of objectives. */
function objectiveItems({ gates, inputConfig, results }: ProfileReport): string[] {
  const limits = Object.entries(inputConfig["slos"] as Readonly<Record<string, unknown>> ?? {});
  const order = ["missed", "inconclusive", "met"];
  const place = (gate: ProfileReport["gates"][number]) => order.indexOf(gateOutcome(gate));
  const shown = gates.toSorted((a, b) => place(a) - place(b)).slice(0, MAX_ITEMS);
  const good = valueOf(results, "good_request_fraction");
  const items = [
    ...shown.map((gate) => item(`${gate.name} ${gate.condition}`, gate.found, outcomeMark(gate))),
    ...(good === undefined || gates.length === 0
      ? []
      : [item("requests that meet every limit", shareText(good))]),
    ...limits.flatMap(([tag, value]) => {
      const name = METRIC_NAMES[tag];
      return name === undefined || typeof value !== "number"
        ? []
        : [item(`limit of ${name}`, millisecondsText(value))];
    }),
  ].slice(0, MAX_ITEMS);
  return items.length > 0
    ? items
    : [item('Set --slo "ttft.p99<500ms" to have the run checked', "")];
}

function evidenceItems({ diagnosis }: ProfileReport): string[] {
  if (diagnosis === undefined) return [];
  const { evidence, unknown } = diagnosis;
  return [
    ...evidence.slice(0, MAX_ITEMS).map(({ source, value, what }) => item(what, value, "", source)),
    ...unknown.slice(0, 2).map((text) => item(`not known: ${text}`, "")),
  ];
}

/** Items of the checklist, open ones first. */
function checkItems(report: ProfileReport): string[] {
  if (report.sampling === undefined) return [];
  const { checklist } = publishability(report);
  const order: readonly MarkName[] = ["invalid", "suspect", "unproven", "valid"];
  return checklist.map((one) => ({ one, icon: itemMark(one) }))
    .sort((a, b) => order.indexOf(a.icon) - order.indexOf(b.icon)).slice(0, MAX_ITEMS)
    .map(({ icon, one }) =>
      item(one.name, "", mark(icon, { word: one.isMet ? "met" : "open" }), one.text)
    );
}

function remarkList({ report, serverMetrics }: RunView): string {
  const all = remarks(report, serverMetrics);
  if (all.length === 0) return "";
  const items = all.map(({ text }: Remark) => `<li>${escapedMarkup(text)}</li>`);
  return `<ul class="remarks">${items.join("")}</ul>\n`;
}
