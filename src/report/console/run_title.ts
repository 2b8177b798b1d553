import type { ProfileReport } from "../model/profile_report.ts";
import { durationText, significantText, wholeNumber } from "./number_text.ts";
import { displayWidth } from "./display_width.ts";
import { type PhaseConfig, profilingPhase } from "../model/profiling_phase.ts";
import { serverName } from "../server_info/server_info.ts";
import { printableText } from "./printable_text.ts";
import { wrapText } from "./wrap_text.ts";

/** The settings of the run as files show them. */
interface Config {
  readonly endpoint?: { readonly urls?: readonly string[]; readonly streaming?: boolean };
  readonly models?: { readonly items?: readonly { readonly name: string }[] };
}

const MAX_NAME = 60;

/** Returns the subject of the measurement and its load: on one line if both fit. */
export function runTitle(report: ProfileReport, width: number): string[] {
  const { endpoint = {}, models }: Config = report.inputConfig;
  const { urls = [], streaming } = endpoint;
  const names = models?.items?.map(({ name }) => name) ?? [report.model];
  const subject = [
    firstOf(urls.map(shortUrl)),
    firstOf(names),
    `${report.endpointType}${streaming ? ", streaming" : ""}`,
  ].filter((text) => text !== "").join("  ");
  const load = loadText(profilingPhase(report));
  const room = width - displayWidth(subject) - displayWidth(load);
  const about = aboutLines(report, width);
  if (load !== "" && room >= 2) return [`${subject}${" ".repeat(room)}${load}`, ...about];
  return [...wrapText(subject, width), ...(load === "" ? [] : wrapText(load, width)), ...about];
}

/** Returns the serving software and the user's labels, if known. */
export function aboutLines(
  { servers, tags }: Pick<ProfileReport, "servers" | "tags">,
  width: number,
): string[] {
  const names = servers.flatMap((server) => serverName(server) ?? []);
  return [
    ...(names.length === 0 ? [] : [`server: ${firstOf([...new Set(names)])}`]),
    ...(tags.length === 0
      ? []
      : [`tags: ${printableText(tags.map(([name, value]) => `${name}=${value}`).join(", "))}`]),
  ].flatMap((line) => wrapText(line, width, 2));
}

/** The first name, and how many more there are. */
export function firstOf(names: readonly string[]): string {
  const [first = "", ...others] = names.map((name) => printableText(name, MAX_NAME));
  return others.length === 0 ? first : `${first} and ${others.length} more`;
}

/** The server of a URL, without the path of its API. */
export function shortUrl(url: string): string {
  return URL.canParse(url) ? new URL(url).origin : url;
}

/** Returns a description of the load of a phase; empty if it is unknown. */
export function loadText(phase: PhaseConfig | undefined): string {
  if (phase === undefined) return "";
  const { type, requests, sessions, duration, concurrency, rate } = phase;
  return [
    ...(rate === undefined
      ? []
      : [`${significantText(rate)} requests/s${type === "poisson" ? "" : ` (${type})`}`]),
    ...(concurrency === undefined
      ? []
      : [`${rate === undefined ? "" : "at most "}${wholeNumber(concurrency)} in flight`]),
    ...(requests === undefined ? [] : [counted(requests, "request")]),
    ...(sessions === undefined ? [] : [counted(sessions, "session")]),
    ...(duration === undefined ? [] : [plainDuration(duration)]),
  ].join(", ");
}

function counted(count: number, noun: string): string {
  return `${wholeNumber(count)} ${noun}${count === 1 ? "" : "s"}`;
}

/** A requested duration: 90 s, 2 min. */
export function plainDuration(seconds: number): string {
  return seconds < 100
    ? `${Number(seconds.toPrecision(3))} s`
    : durationText(seconds).replace(/ 00 (s|min)$/, "");
}
