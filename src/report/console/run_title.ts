import type { ProfileReport } from "../model/profile_report.ts";
import { countedText, durationText, significantText, wholeNumber } from "./number_text.ts";
import type { PhaseConfig } from "../model/profiling_phase.ts";
import { serverName } from "../server_info/server_info.ts";
import { printableText } from "./printable_text.ts";
import { wrapText } from "./wrap_text.ts";

const MAX_NAME = 60;

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

/**
 * Returns a description of the load of a phase.
 * @param hasSessions whether the phase has sessions of several requests: its concurrency counts them
 * @param isRateOfUsers whether its rate is that of the requests of all users
 */
export function loadText(
  { type, requests, sessions, duration, concurrency, rate }: PhaseConfig,
  { hasSessions, isRateOfUsers }: {
    readonly hasSessions: boolean;
    readonly isRateOfUsers: boolean;
  },
): string {
  const arrivals = hasSessions && !isRateOfUsers ? "sessions" : "requests";
  const held = (limit: number): string =>
    hasSessions
      ? `${countedText(limit, "session")} in progress`
      : `${wholeNumber(limit)} in flight`;
  return [
    ...(rate === undefined
      ? []
      : [`${significantText(rate)} ${arrivals}/s${type === "poisson" ? "" : ` (${type})`}`]),
    ...(concurrency === undefined
      ? []
      : [`${rate === undefined ? "" : "at most "}${held(concurrency)}`]),
    ...(requests === undefined ? [] : [countedText(requests, "request")]),
    ...(sessions === undefined ? [] : [countedText(sessions, "session")]),
    ...(duration === undefined ? [] : [plainDuration(duration)]),
  ].join(", ");
}

/** A requested duration: 90 s, 2 min. */
export function plainDuration(seconds: number): string {
  return seconds < 100
    ? `${Number(seconds.toPrecision(3))} s`
    : durationText(seconds).replace(/ 00 (s|min)$/, "");
}
