/** Blocks of a full screen that show the state of a run. */

import { displayWidth } from "../console/display_width.ts";
import { durationText, significantText, wholeNumber } from "../console/number_text.ts";
import { printableText } from "../console/printable_text.ts";
import { type Block, type Line, wrapped } from "./dashboard_layout.ts";
import type {
  LiveModel,
  LiveServer,
  LiveServerFigure,
  LiveTimes,
  LiveWorker,
} from "./live_model.ts";
import { sparkline, sparkRows } from "./sparkline.ts";

/** The host of a URL, as it may be shown. */
export function hostOf(url: string): string {
  return printableText(URL.canParse(url) ? new URL(url).host : url, 60);
}

/**
 * Returns the block of the load and its latencies.
 * @param rows of each curve; with less than two, curves are next to their values
 */
export function loadBlock(model: LiveModel, width: number, rows: number): Block {
  const { history, results } = model;
  const requests = significantText(model.requestsPerSecond, { maxDecimals: 2 });
  const tokens = significantText(model.tokensPerSecond, { maxDecimals: 1 });
  const size = { width, rows };
  const lines = [
    ...rateLines("requests/s", requests, history.requestsPerSecond, requestCounts(model), size),
    ...rateLines("tokens/s", tokens, history.tokensPerSecond, totals(model), size),
    ...timeLines("TTFT", results.ttft, history.ttftP50Ms, history.ttftP99Ms, size),
    ...timeLines("ITL", results.itl, history.itlP50Ms, history.itlP99Ms, size),
    {
      text: `${timeHead("latency", "p50", results.latency.p50Ms)}   p99 ${
        ms(results.latency.p99Ms).padStart(7)
      }   last 5 s ${ms(results.latency.recentP50Ms)} and ${ms(results.latency.recentP99Ms)}`,
    },
  ];
  if (results.objectives.length > 0) lines.push({ text: objectiveText(model) });
  return { title: "", lines, least: lines.length };
}

/** Size of curves: with less than two rows, they are next to their values. */
interface CurveSize {
  readonly width: number;
  readonly rows: number;
}

/** Returns the numbers of sessions in progress and of requests in flight, and how requests ended. */
function requestCounts({ load, inFlight, sessions, succeeded, failed }: LiveModel): string {
  const limit = load.concurrency === Infinity ? "" : ` / ${wholeNumber(load.concurrency)}`;
  // With sessions there is no room: the head line has the rate.
  const target = load.loop === "open" && load.ratePerSecond < Infinity && sessions === undefined
    ? `   of ${Number(load.ratePerSecond.toPrecision(4))}/s`
    : "";
  return [
    ...(sessions === undefined ? [`in flight ${wholeNumber(inFlight)}${limit}`] : [
      `sessions ${wholeNumber(sessions.inProgress)}${limit}`,
      `in flight ${wholeNumber(inFlight)}`,
    ]),
    `ok ${wholeNumber(succeeded)}`,
    `failed ${wholeNumber(failed)}${target}`,
  ].join("   ");
}

function totals({ load, queued, sent, requestCount, outputTokens }: LiveModel): string {
  return [
    ...(load.loop === "open" ? [`queued ${wholeNumber(queued)}`] : []),
    `sent ${wholeNumber(sent)}${requestCount < Infinity ? ` of ${wholeNumber(requestCount)}` : ""}`,
    `tokens ${wholeNumber(outputTokens)}`,
  ].join("   ");
}

function rateLines(
  label: string,
  value: string,
  curve: readonly number[],
  beside: string,
  { width, rows }: CurveSize,
): Line[] {
  const head = `${label.padEnd(10)} ${value.padStart(7)}`;
  if (rows > 1) return [{ text: `${head}   ${beside}` }, ...curveLines(curve, width, rows)];
  const length = Math.min(20, Math.max(0, width - displayWidth(head) - displayWidth(beside) - 5));
  return [{ text: `${head} ${sparkline(curve, length)}   ${beside}` }];
}

function timeLines(
  label: string,
  time: LiveTimes,
  p50: readonly number[],
  p99: readonly number[],
  { width, rows }: CurveSize,
): Line[] {
  if (rows > 1) {
    return [
      { text: `${timeHead(label, "p50", time.p50Ms)}   last 5 s ${ms(time.recentP50Ms)}` },
      ...curveLines(p50, width, rows),
      { text: `${timeHead(label, "p99", time.p99Ms)}   last 5 s ${ms(time.recentP99Ms)}` },
      ...curveLines(p99, width, rows),
    ];
  }
  const [a, b] = [timeHead(label, "p50", time.p50Ms), `p99 ${ms(time.p99Ms).padStart(7)}`];
  const length = Math.max(0, Math.floor((width - displayWidth(a) - displayWidth(b) - 5) / 2));
  return [{ text: `${a} ${sparkline(p50, length)}   ${b} ${sparkline(p99, length)}` }];
}

function curveLines(values: readonly number[], width: number, rows: number): Line[] {
  return sparkRows(values, width - 1, rows).map((text) => ({ text }));
}

function timeHead(label: string, percentile: string, value: number): string {
  return `${`${label} ms`.padEnd(10)} ${percentile} ${ms(value).padStart(7)}`;
}

function objectiveText({ results: { good, objectives, valid } }: LiveModel): string {
  const each = objectives.map(({ tag, threshold, unit, metShare }) =>
    `${tag} ${significantText(threshold)} ${unit} ${percent(metShare)}`
  );
  return `good ${percent(good / valid)}   ${each.join("   ")}`;
}

/** Returns the servers' newest metrics. */
export function serverBlocks(model: LiveModel, width: number): Block[] {
  const { history, results: { servers } } = model;
  return servers.map((server) => {
    const curves: Readonly<Record<string, readonly number[]>> = servers.length === 1
      ? { "running": history.running, "waiting": history.waiting, "KV cache": history.kvUsage }
      : {};
    const lines = server.problem === undefined
      ? wrapped(server.figures.map((figure) => figureText(figure, curves[figure.label])), width)
      : [{ text: `not read: ${printableText(server.problem)}`, style: "yellow" as const }];
    return {
      title: serverTitle(server, servers.length),
      lines: lines.length > 0 ? lines : [{ text: "no known metric" }],
      least: 1,
    };
  });
}

function serverTitle({ kind, url }: LiveServer, count: number): string {
  return `server ${kind}${count > 1 ? ` ${hostOf(url)}` : ""}`.trim();
}

function figureText({ label, of, value }: LiveServerFigure, curve: readonly number[] = []): string {
  const text = of === "share"
    ? percent(value)
    : of === "time"
    ? `${ms(value)} ms`
    : significantText(value, { maxDecimals: 1 });
  return `${label} ${text}${curve.length > 0 ? ` ${sparkline(curve, 8)}` : ""}`;
}

/** The load workers. */
export function workerBlock({ workers }: LiveModel, width: number): Block {
  const texts = workers.map(workerText);
  return { title: "load workers", lines: wrapped(texts, width), least: 1 };
}

function workerText(
  { number, isAlive, inFlight, chunksPerSecond, delayP99Ms }: LiveWorker,
): string {
  if (!isAlive) return `${number}: DIED`;
  return `${number}: ${wholeNumber(inFlight)} in flight, ${
    significantText(chunksPerSecond, { maxDecimals: 0 })
  } chunks/s, delay p99 ${ms(delayP99Ms)} ms`;
}

/** The largest groups of failures. */
export function errorBlock({ results: { errors } }: LiveModel): Block {
  const lines = errors.map(({ count, kind, status, message }): Line => ({
    text: `${wholeNumber(count).padStart(6)}  ${kind}${status === null ? "" : ` ${status}`}  ${
      printableText(message)
    }`,
    style: "yellow",
  }));
  return { title: "errors", lines: lines.length > 0 ? lines : [{ text: "none" }], least: 1 };
}

/** Returns the block of the client's own resource usage. */
export function clientBlock(model: LiveModel, width: number): Block {
  const { canaries, sendSlipP99Ms } = model.results;
  const delays = canaries.count === 0
    ? "read delay: not measured"
    : `read delay p50 ${ms(canaries.p50Ms)}, p99 ${ms(canaries.p99Ms)}, max ${
      ms(canaries.maxMs)
    } ms`;
  const parts = [
    delays,
    `CPU ${percent(model.cpuCores / model.cores)} of ${model.cores} cores`,
    ...(Number.isNaN(model.stolenShare) ? [] : [`stolen ${percent(model.stolenShare)}`]),
    ...(canaries.stallSeconds > 0 ? [`stalled ${durationText(canaries.stallSeconds)}`] : []),
    ...(Number.isNaN(sendSlipP99Ms) ? [] : [`send slip p99 ${ms(sendSlipP99Ms)} ms`]),
  ];
  return { title: "client", lines: wrapped(parts, width), least: 2 };
}

/** Returns the user's actions and the warnings, the newest first. */
export function messageBlock(
  { load: { changes }, warnings }: LiveModel,
  remarks: readonly string[],
): Block {
  const done = changes.map(({ action, value }) =>
    value === undefined ? action : `${action} ${value}`
  );
  const lines = [
    ...remarks.map((text) => ({ text })),
    ...warnings.toReversed().map((text): Line => ({ text: printableText(text), style: "yellow" })),
    ...(done.length === 0 ? [] : [{ text: `by hand: ${done.toReversed().join(", ")}` }]),
  ];
  return { title: "messages", lines, least: 1 };
}

function ms(value: number): string {
  return significantText(value, { maxDecimals: 2 });
}

function percent(share: number): string {
  return Number.isFinite(share) ? `${significantText(share * 100, { maxDecimals: 1 })} %` : "- %";
}
