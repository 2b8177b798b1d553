/** Head of a run's page: a description of the load, and facts about the run. */

import { figureText } from "../../core/chart/figure_text.ts";
import { escapedMarkup } from "../../core/chart/markup.ts";
import { distributionOf, type MetricResults } from "../../measurement/metrics/metric_results.ts";
import type { MetricTag } from "../../measurement/metrics/metric_tag.ts";
import { gpusInWords, loadInWords, tokensInWords } from "../console/head_lines.ts";
import { requestsText } from "../console/requests_text.ts";
import { firstOf, shortUrl } from "../console/run_title.ts";
import type { ProfileReport } from "../model/profile_report.ts";
import { shownWindow } from "../model/shown_window.ts";
import { serverName } from "../server_info/server_info.ts";
import type { RunView } from "./run_view.ts";
import { unbroken } from "./unbroken.ts";
import { partialTexts } from "./verdict.ts";

/** The bar with the buttons. They are of use only with a script, and hidden without one. */
export function pageBar(meta: string, buttons: readonly (readonly [id: string, text: string])[]) {
  return [
    '<a class="skip" href="#main">To the results</a>',
    `<header><div><span class="brand">inferometer</span> <span class="meta">${
      escapedMarkup(meta)
    }</span></div>`,
    '<div class="buttons">',
    ...buttons.map(([id, text]) => `<button id="${id}" type="button" hidden>${text}</button>`),
    '</div></header>\n<div id="announcements" class="unseen" role="status"></div>\n',
  ].join("");
}

/** The bar of a run's page. */
export function runBar({ report, source }: RunView): string {
  const meta = [
    startText(report),
    ...(source === undefined ? [] : [`measured by ${source}`]),
    ...report.tags.map(([name, value]) => `${name}=${value}`),
  ].join(" · ");
  return pageBar(meta, [
    ["theme", "Light / dark"],
    ["copy", "Copy command"],
    ["download", "Download JSON"],
  ]);
}

/** When a run began: `2026-11-27 20:51:49 UTC`. */
export function startText({ startEpochNs }: Pick<ProfileReport, "startEpochNs">): string {
  const started = new Date(Number(startEpochNs / 1_000_000n)).toISOString().slice(0, 19);
  return `${started.replace("T", " ")} UTC`;
}

/** Title, facts, and why results are partial. */
export function runHead(view: RunView): string {
  const { report } = view;
  const words = [loadInWords(report), ...tokensInWords(report)].filter((text) => text !== "");
  const title = [modelName(report), words.join("; ")].filter((text) => text !== "").join(": ");
  const facts = factsOf(report).map(([name, value, isKnown]) =>
    `<div><dt>${name}</dt><dd${isKnown ? "" : ' class="none"'}>${
      escapedMarkup(unbroken(value))
    }</dd></div>`
  );
  const alerts = partialTexts(report).map((text) => `<li>${escapedMarkup(text)}</li>`);
  return `<div class="what"><h1>${escapedMarkup(unbroken(title))}</h1>` +
    `<dl class="facts">${facts.join("")}</dl>` +
    `${alerts.length === 0 ? "" : `<ul class="alerts">${alerts.join("")}</ul>`}</div>\n`;
}

/** The models, or the API where none is known. */
export function modelName({ endpointType, inputConfig, model }: ProfileReport): string {
  const { models } = inputConfig as {
    readonly models?: { readonly items?: readonly { readonly name: string }[] };
  };
  return firstOf(models?.items?.map(({ name }) => name) ?? [model]) || model || endpointType;
}

type Fact = readonly [name: string, value: string, isKnown: boolean];

function factsOf(report: ProfileReport): Fact[] {
  const { endpoint = {} } = report.inputConfig as {
    readonly endpoint?: { readonly urls?: readonly string[]; readonly streaming?: boolean };
  };
  const { results } = shownWindow(report);
  const servers = [...new Set(report.servers.flatMap((server) => serverName(server) ?? []))];
  const urls = [...new Set((endpoint.urls ?? []).map(shortUrl))];
  const [gpus = ""] = gpusInWords(report);
  const tokens = (name: string, ...tags: MetricTag[]): Fact[] => {
    const mean = meanOf(results, tags);
    return mean === undefined ? [] : [[name, `${figureText(mean)} tokens mean`, true]];
  };
  return [
    servers.length === 0 ? ["Engine", "not reported", false] : ["Engine", servers.join(", "), true],
    ...(urls.length === 0 ? [] : [["Server", firstOf(urls), true] as const]),
    ["Requests", requestsText(report), true],
    ...tokens("Prompt", "input_sequence_length", "usage_prompt_tokens"),
    ...tokens("Reply", "output_sequence_length", "usage_completion_tokens"),
    ["API", `${report.endpointType}, ${endpoint.streaming ? "streaming" : "not streaming"}`, true],
    gpus === "GPUs not stated" ? ["GPUs", "not stated", false] : ["GPUs", gpus, true],
  ];
}

function meanOf(results: MetricResults, tags: readonly MetricTag[]): number | undefined {
  return tags.map((tag) => distributionOf(results, tag)?.avg).find((mean) => mean !== undefined);
}
