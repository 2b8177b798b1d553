import { distributionOf } from "../../measurement/metrics/metric_results.ts";
import type { ProfileReport } from "../model/profile_report.ts";
import { profilingPhase } from "../model/profiling_phase.ts";
import { shownWindow } from "../model/shown_window.ts";
import { serverName } from "../server_info/server_info.ts";
import { displayWidth } from "./display_width.ts";
import { countedText, countText, significantText, wholeNumber } from "./number_text.ts";
import { printableText } from "./printable_text.ts";
import { firstOf, plainDuration, shortUrl } from "./run_title.ts";
import { wrapText } from "./wrap_text.ts";

/**
 * Returns the subject of the measurement and its load: two lines if the terminal is wide enough.
 */
export function headLines(report: ProfileReport, width: number): string[] {
  const { endpoint = {}, models } = report.inputConfig as {
    readonly endpoint?: { readonly urls?: readonly string[]; readonly streaming?: boolean };
    readonly models?: { readonly items?: readonly { readonly name: string }[] };
  };
  const urls = (endpoint.urls ?? []).map(shortUrl);
  const servers = [...new Set(report.servers.flatMap((server) => serverName(server) ?? []))];
  const model = firstOf(models?.items?.map(({ name }) => name) ?? [report.model]);
  const on = servers.length === 0 ? "" : ` on ${firstOf(servers)}`;
  const subject = [`${model}${on}`, firstOf(urls)].filter((text) => text !== "").join(", ");
  const kind = `${report.endpointType}${endpoint.streaming ? ", streaming" : ""}`;
  const room = width - displayWidth(subject) - displayWidth(kind);
  const tags = report.tags.map(([name, value]) => `${name}=${value}`).join(", ");
  return [
    ...(room >= 2
      ? [`${subject}${" ".repeat(room)}${kind}`]
      : [...wrapText(subject, width, 2), ...wrapText(kind, width, 2)]),
    ...wrapText(
      [loadInWords(report), ...tokensInWords(report), gpusInWords(report)]
        .filter((text) => text !== "").join("; "),
      width,
      2,
    ),
    ...(tags === "" ? [] : wrapText(`tags: ${printableText(tags)}`, width, 2)),
  ];
}

/**
 * Returns the load as a sentence: `closed loop, 32 in flight for 45 s, 252 requests`. Sessions of
 * several requests arrive as a whole and keep their slots until they end: then they are counted.
 */
export function loadInWords(report: ProfileReport): string {
  const phase = profilingPhase(report);
  if (phase === undefined) return "";
  const { concurrency, duration, rate, requests, sessions, type } = phase;
  const isOpen = rate !== undefined;
  const hasSessions = report.sessions !== undefined;
  const arrivals = hasSessions && !isRateOfUsers(report) ? "sessions" : "requests";
  const held = (limit: number): string =>
    hasSessions
      ? `${countedText(limit, "session")} in progress`
      : `${wholeNumber(limit)} in flight`;
  const offered = isOpen
    ? `open loop, ${significantText(rate)} ${arrivals}/s (${type})` +
      (concurrency === undefined ? "" : `, at most ${held(concurrency)}`)
    : concurrency === undefined
    ? type
    : `closed loop, ${held(concurrency)}`;
  const length = duration === undefined ? "" : ` for ${plainDuration(duration)}`;
  const counts = [
    ...(requests === undefined ? [] : [countedText(requests, "request")]),
    ...(sessions === undefined ? [] : [countedText(sessions, "session")]),
  ];
  return [`${offered}${length}`, ...counts].join(", ");
}

/** Whether the rate is that of `--user-centric-rate`, which counts the requests of all users. */
function isRateOfUsers({ ownConfig }: ProfileReport): boolean {
  const { load_shape: shapes } = ownConfig as {
    readonly "load_shape"?: { readonly [kind: string]: { readonly "users"?: number } | undefined };
  };
  return shapes?.["profiling"]?.users !== undefined;
}

/** Mean tokens of a request. */
export function tokensInWords(report: ProfileReport): string[] {
  const { results } = shownWindow(report);
  const [input, output] = [
    distributionOf(results, "input_sequence_length") ??
      distributionOf(results, "usage_prompt_tokens"),
    distributionOf(results, "output_sequence_length") ??
      distributionOf(results, "usage_completion_tokens"),
  ];
  const texts = [
    ...(input === undefined ? [] : [`${countText(input.avg)} tokens in`]),
    ...(output === undefined ? [] : [`${countText(output.avg)}${input ? "" : " tokens"} out`]),
  ];
  return texts.length === 0 ? [] : [texts.join(", ")];
}

export function gpusInWords({ ownConfig }: ProfileReport): string[] {
  const gpus = ownConfig["gpus"] as
    | { readonly total: number; readonly prefill?: number; readonly decode?: number }
    | undefined;
  if (gpus === undefined) return ["GPUs not stated"];
  return gpus.prefill === undefined
    ? [countedText(gpus.total, "GPU")]
    : [`${gpus.prefill} prefill and ${gpus.decode} decode GPUs`];
}
