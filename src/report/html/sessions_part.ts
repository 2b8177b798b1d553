/**
 * Part of the report about whole sessions: where the time of the median one goes, what its agents do
 * at the same time, what is new in each prompt, and how sessions differ.
 */

import { countedText, countText, figureText } from "../../core/chart/figure_text.ts";
import { escapedMarkup } from "../../core/chart/markup.ts";
import type { Plot } from "../../core/chart/plot.ts";
import { distributionOf } from "../../measurement/metrics/metric_results.ts";
import type { MetricTag } from "../../measurement/metrics/metric_tag.ts";
import {
  type AgentResults,
  cachedShare,
  type SessionResults,
} from "../../measurement/metrics/session_results.ts";
import { percentText } from "../diagnosis/evidence_text.ts";
import {
  durationNs,
  type PathParts,
  type SessionTrace,
  type SessionTraces,
  type ShownSession,
} from "../model/session_traces.ts";
import { type CardCell, cardTable } from "./card_table.ts";
import { htmlTable } from "./html_table.ts";
import { PLOT_KEYS, plotKey, plotPart } from "./plot_part.ts";
import {
  durationPlot,
  lanePlot,
  namedParts,
  nsText,
  PATH_PARTS,
  shortName,
  tokenCalls,
  tokenPlot,
} from "./session_plots.ts";
import { shareBarSvg } from "./share_bar.ts";
import { unbroken } from "./unbroken.ts";

/** Fewer sessions have no percentiles. */
const MIN_FOR_PERCENTILES = 10;

/** Markup of the part, and the plots that its script makes interactive. */
export interface SessionsPart {
  readonly title: string;
  readonly content: string;
  readonly plots: readonly Plot[];
}

/** See the module's comment. */
export function sessionsPart(
  traces: SessionTraces,
  { depths, kinds }: Pick<SessionResults, "depths" | "kinds">,
): SessionsPart {
  const { median, shown, slowest } = traces;
  const ranked = [
    { rank: "median", trace: median },
    ...(slowest === undefined ? [] : [{ rank: "slowest", trace: slowest }]),
  ].map((one) => ({ ...one, plot: lanePlot(one.trace, `lanes-${one.rank}`) }));
  const tokens = tokenPlot(median, "session-tokens");
  const durations = shown.length > 1 ? durationPlot(shown, "session-durations") : undefined;
  const content = [
    `<p class="lead">${escapedMarkup(pathSentence(median.session))}</p>`,
    PLOT_KEYS,
    pathBar(median.session),
    ...ranked.map(({ plot, rank, trace }) => laneFigure(trace, rank, plot)),
    tokens === undefined ? "" : tokenFigure(median, tokens),
    durations === undefined ? "" : durationFigure(traces, durations),
    sessionTable(traces),
    agentsTable("Depths of agents", "depth", depths),
    agentsTable("Kinds of agents", "kind", kinds),
  ];
  return {
    title: title(traces),
    content: content.join("\n"),
    plots: [...ranked.map(({ plot }) => plot), tokens, durations]
      .filter((plot) => plot !== undefined),
  };
}

/** How long sessions take, as the title. */
function title({ areCompleted, count, median, shown }: SessionTraces): string {
  if (!areCompleted) return `None of ${countedText(count, "session")} was completed`;
  const times = shown.map(({ times }) => durationNs(times));
  const [most = 0, least = 0] = [times[0], times.at(-1)];
  if (count === 1) return `One session takes ${nsText(most)}`;
  const half = durationNs(median.session.times);
  return count < MIN_FOR_PERCENTILES
    ? `Sessions take ${nsText(least)} to ${nsText(most)}`
    : `Half of the sessions take more than ${nsText(half)}, the slowest ${nsText(most)}`;
}

function pathSentence({ name, parts, times }: ShownSession): string {
  const whole = durationNs(times);
  const [largest] = namedParts(parts).toSorted((a, b) => b.value - a.value);
  if (largest === undefined) return "";
  return unbroken(
    `${percentText(largest.value / whole)} of the critical path of the median session ` +
      `(${shortName(name)}) is ${LARGEST[largest.part]}. The calls of the path, and the gaps ` +
      "between them, add up to the duration; whatever is shortened there shortens the session.",
  );
}

/** Parts of a path within a sentence. */
const LARGEST: Readonly<Record<keyof PathParts, string>> = {
  waiting: "time in which calls were due and not sent",
  queued: "time in the queue of the server",
  prefill: "time to first token",
  decode: "decode",
  model: "time in calls",
  tool: "tool time",
  user: "time of the user",
  agent: "time between agents",
};

/** The critical path as one bar. */
function pathBar({ name, parts, times }: ShownSession): string {
  const whole = durationNs(times);
  const named = namedParts(parts);
  const texts = named.map(({ name, value }) =>
    `${name} ${nsText(value)}, ${percentText(value / whole)}`
  );
  const svg = shareBarSvg(named, whole, `Critical path of ${name}: ${texts.join("; ")}`);
  const keys = plotKey(
    named.map(({ color }, part) => [color, "square", unbroken(texts[part] as string)] as const),
  );
  return `<figure class="shares"><figcaption>Critical path of the median session: ${
    unbroken(nsText(whole))
  } <small>${escapedMarkup(pathCalls(times))}</small></figcaption>${svg}${keys}</figure>\n`;
}

function pathCalls({ calls, path }: ShownSession["times"]): string {
  return path.length === calls
    ? `all of its ${countedText(calls, "call")}`
    : `${countText(path.length)} of its ${countedText(calls, "call")}; the others ran at the ` +
      "same time";
}

function laneFigure(trace: SessionTrace, rank: string, plot: Plot): string {
  const { agents, calls, session } = trace;
  const { times } = session;
  const waits = calls.toSorted((a, b) => (b.startNs - b.dueNs) - (a.startNs - a.dueNs));
  const [longest] = waits;
  const waitNs = longest === undefined ? 0 : longest.startNs - longest.dueNs;
  const isWorthNaming = waitNs > 0.01 * durationNs(times);
  const finding = longest === undefined || !isWorthNaming
    ? `${countedText(times.calls, "call")} of ${countedText(agents.length, "agent")}`
    : `the longest wait is ${nsText(waitNs)}, before call ${longest.turn} of ${
      agents[longest.agent]?.name
    }`;
  const cut = calls.length < times.calls ? ` The first ${calls.length} calls are shown.` : "";
  const links = agents.length > 1
    ? "; vertical lines lead to the calls of other agents that waited"
    : "";
  const head = figureHead(
    `The ${rank} session, ${shortName(session.name)}: ${finding}`,
    `A row for each agent over ${nsText(durationNs(times))}${links}.${cut}`,
  );
  const key = plotKey([
    ["queue", "square", "due, not sent"],
    ["prefill", "square", "until the first token"],
    ["decode", "square", "decode"],
    ...(calls.some(({ hasFailed }) => hasFailed) ? [["bad", "square", "failed"] as const] : []),
    ...(calls.some(({ gapClass }) => gapClass === "tool")
      ? [["network", "hatched", "tool"] as const]
      : []),
    ["ink", "line", "critical path"],
  ]);
  return plotPart(plot, "wide", head + key);
}

function tokenFigure(trace: SessionTrace, plot: Plot): string {
  const { tokens, resets } = trace.session.times;
  const isKnown = !Number.isNaN(tokens.cachedServer);
  const share = tokens.cachedServer / tokens.input;
  const { step } = tokenCalls(trace);
  const finding = isKnown
    ? `${percentText(share)} of the prompt tokens come from the cache`
    : "Each call sends its whole history";
  const ideal = tokens.cachedIdeal > 0
    ? `; ${percentText(tokens.cachedIdeal / tokens.input)} were in earlier calls of the session`
    : "";
  const source = isKnown
    ? "cached tokens by the usage of the replies"
    : "the server does not report cached tokens";
  const every = step > 1 ? ` Every ${step}${ordinal(step)} call and all resets are shown.` : "";
  const reset = resets > 0
    ? ` ${countedText(resets, "call")} did not continue the prompt before (reset).`
    : "";
  const head = figureHead(
    `${finding}${ideal}`,
    `Prompt tokens of the calls of the median session in the order of their starts; ${source}.` +
      `${every}${reset}`,
  );
  const key = isKnown
    ? plotKey([["cached", "square", "cached"], ["prefill", "square", "new"]])
    : "";
  return plotPart(plot, "wide", head + key);
}

function ordinal(count: number): string {
  return count === 2 ? "nd" : count === 3 ? "rd" : "th";
}

function durationFigure({ count, shown }: SessionTraces, plot: Plot): string {
  const some = shown.length < count
    ? ` ${shown.length} of ${countText(count)}, evenly spaced from the slowest to the fastest.`
    : "";
  const head = figureHead(
    "Critical path of each session",
    `Slowest first.${some}`,
  );
  const used = PATH_PARTS.filter(([part]) => shown.some(({ parts }) => parts[part] > 0));
  return plotPart(
    plot,
    "wide",
    head + plotKey(used.map(([, name, color]) => [color, "square", name] as const)),
  );
}

function figureHead(title: string, caption: string): string {
  return `<figcaption><h3>${escapedMarkup(unbroken(title))}</h3><p>${
    escapedMarkup(unbroken(caption))
  }</p></figcaption>`;
}

function sessionTable({ areCompleted, shown }: SessionTraces): string {
  const hasResets = shown.some(({ times }) => times.resets > 0);
  const hasCache = shown.some(({ times }) => !Number.isNaN(times.tokens.cachedServer));
  return cardTable({
    head: [
      "session",
      "duration",
      "calls",
      "waiting",
      "model",
      "tools",
      ...(hasCache ? ["new tokens", "cache hits"] : ["prompt tokens"]),
      ...(hasResets ? ["resets"] : []),
    ],
    rows: shown.map((session) => {
      const { name, parts, times } = session;
      const { resets, tokens } = times;
      const whole = durationNs(times);
      const timed = (ns: number): CardCell => ({
        text: nsText(ns),
        small: percentText(ns / whole),
      });
      return [
        shortName(name),
        { text: nsText(whole), ...(areCompleted ? {} : { small: STATUS[times.status] }) },
        { text: countText(times.calls), small: `${countText(times.path.length)} critical` },
        timed(parts.waiting + parts.queued),
        timed(parts.prefill + parts.decode + parts.model),
        timed(parts.tool),
        ...(hasCache
          ? [{ text: tokensText(tokens.input - tokens.cachedServer) }, hitCell(tokens)]
          : [{ text: tokensText(tokens.input) }]),
        ...(hasResets ? [{ text: countText(resets) }] : []),
      ];
    }),
  });
}

/** Requests of the agents at each depth, or of each kind; empty where there is one agent. */
function agentsTable(
  title: string,
  key: "depth" | "kind",
  groups: readonly AgentResults[],
): string {
  if (groups.length === 0) return "";
  return `<figure><figcaption><h3>${title}</h3></figcaption>${
    htmlTable({
      head: [key, "requests", "TTFT p50, ms", "ITL p50, ms", "mean ISL", "mean OSL", "cache hits"],
      rows: groups.map((group) => {
        const value = (tag: MetricTag, statistic: "avg" | "p50"): string => {
          const found = distributionOf(group.results, tag)?.[statistic];
          return found === undefined ? "-" : figureText(found);
        };
        const share = cachedShare(group);
        return [
          String(group[key] ?? ""),
          countText(group.succeeded),
          value("time_to_first_token", "p50"),
          value("inter_token_latency", "p50"),
          value("input_sequence_length", "avg"),
          value("output_sequence_length", "avg"),
          share === undefined ? "-" : percentText(share / 100),
        ];
      }),
    })
  }</figure>\n`;
}

const STATUS = { completed: "completed", failed: "failed", cut_off: "cut off" } as const;

function tokensText(count: number): string {
  return Number.isNaN(count) ? "-" : countText(count);
}

function hitCell(
  { cachedIdeal: ideal, cachedServer: cached, input }: ShownSession["times"]["tokens"],
): CardCell {
  if (!(input > 0) || Number.isNaN(cached)) return { text: "-" };
  return {
    text: percentText(cached / input),
    ...(ideal > 0 ? { small: `ideal ${percentText(ideal / input)}` } : {}),
  };
}
