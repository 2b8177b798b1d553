/** Head of a run's page: a description of the load, and facts about the run. */

import { figureText } from "../../core/chart/figure_text.ts";
import { distributionOf, type MetricResults } from "../../measurement/metrics/metric_results.ts";
import type { MetricTag } from "../../measurement/metrics/metric_tag.ts";
import { gpusInWords, loadInWords, tokensInWords } from "../console/head_lines.ts";
import { requestsText } from "../console/requests_text.ts";
import { firstOf, shortUrl } from "../console/run_title.ts";
import type { ProfileReport } from "../model/profile_report.ts";
import { shownWindow } from "../model/shown_window.ts";
import { serverName } from "../server_info/server_info.ts";
import { type Fact, headPart, pageBar } from "./page_frame.ts";
import type { RunView } from "./run_view.ts";
import { unbroken } from "./unbroken.ts";
import { partialTexts } from "./verdict.ts";

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
  return headPart(unbroken(title), factsOf(report), partialTexts(report));
}

/** The models, or the API where none is known. */
export function modelName({ endpointType, inputConfig, model }: ProfileReport): string {
  const { models } = inputConfig as {
    readonly models?: { readonly items?: readonly { readonly name: string }[] };
  };
  return firstOf(models?.items?.map(({ name }) => name) ?? [model]) || model || endpointType;
}

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
    return mean === undefined ? [] : [[name, `${figureText(mean)} tokens mean`]];
  };
  return [
    servers.length === 0 ? ["Engine", "not reported", false] : ["Engine", servers.join(", ")],
    ...(urls.length === 0 ? [] : [["Server", firstOf(urls)] as const]),
    ["Requests", requestsText(report)],
    ...tokens("Prompt", "input_sequence_length", "usage_prompt_tokens"),
    ...tokens("Reply", "output_sequence_length", "usage_completion_tokens"),
    ["API", `${report.endpointType}, ${endpoint.streaming ? "streaming" : "not streaming"}`],
    gpus === "GPUs not stated" ? ["GPUs", "not stated", false] : ["GPUs", gpus],
  ];
}

function meanOf(results: MetricResults, tags: readonly MetricTag[]): number | undefined {
  return tags.map((tag) => distributionOf(results, tag)?.avg).find((mean) => mean !== undefined);
}
