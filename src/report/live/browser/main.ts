/** Shows a run in progress in a browser: requests its newest state, and draws it. */

import type { LiveModel, LiveTimes } from "../live_model.ts";
import { element, figure, table } from "./elements.ts";
import { panel } from "./panel.ts";

const INTERVAL_MS = 1000;
const token = new URLSearchParams(location.search).get("token") ?? "";
/** Whether there has been a moment. */
let hasShown = false;

function show(model: LiveModel): void {
  hasShown = true;
  set("what", `${model.model}: ${loadText(model)}`);
  set("target", model.targets.join(", "));
  set("so-far", model.soFar);
  set("state", stateOf(model));
  const { results } = model;
  document.getElementById("main")?.replaceChildren(
    tiles(model),
    panels(model),
    element("h2", "Times of requests that have ended, ms"),
    table(["", "p50", "p99", "p50 of the last 5 s", "p99 of the last 5 s", "requests"], [
      timesRow("TTFT", results.ttft),
      timesRow("ITL", results.itl),
      timesRow("latency", results.latency),
    ]),
    ...servers(model),
    element("h2", "Load workers"),
    table(
      ["worker", "in flight", "chunks/s", "delay p99, ms"],
      model.workers.map(({ number, isAlive, inFlight, chunksPerSecond, delayP99Ms }) => [
        isAlive ? String(number) : `${number} died`,
        figure(inFlight),
        figure(chunksPerSecond),
        figure(delayP99Ms),
      ]),
    ),
    element("h2", "Errors"),
    results.errors.length === 0 ? element("p", "none") : table(
      ["requests", "kind", "message"],
      results.errors.map(({ count, kind, status, message }) => [
        figure(count),
        status === null ? kind : `${kind} ${status}`,
        message,
      ]),
      "bad",
    ),
    element("h2", "Client"),
    element("p", clientText(model)),
    ...messages(model),
  );
}

/** Elapsed of planned: `12 of 45 s`, or requests or sessions where they end the phase. */
function stateOf(model: LiveModel): string {
  const { elapsedSeconds, load, phase, plannedSeconds, sessions, stage } = model;
  if (stage !== "") return stage;
  const done = model.succeeded + model.failed + model.cancelled;
  const elapsed = String(Math.floor(elapsedSeconds));
  return [
    phase === "warmup" ? "warm-up" : "",
    load.isPaused ? "paused" : "",
    isKnown(model.requestCount) ? `${figure(done)} of ${figure(model.requestCount)} requests` : "",
    sessions !== undefined && isKnown(sessions.planned)
      ? `${figure(sessions.begun)} of ${figure(sessions.planned)} sessions`
      : "",
    isKnown(plannedSeconds) ? `${elapsed} of ${figure(plannedSeconds)} s` : `${elapsed} s`,
  ].filter((text) => text !== "").join("  ");
}

/** The load: `closed loop, 32 in flight`, `open loop, 10 requests/s`. */
function loadText({ load: { concurrency, loop, ratePerSecond }, sessions }: LiveModel): string {
  const arrivals = sessions?.isRateOfSessions === true ? "sessions" : "requests";
  const held = sessions === undefined ? "in flight" : "sessions in progress";
  const limit = isKnown(concurrency) ? `, ${figure(concurrency)} ${held}` : "";
  if (loop === "closed") return `closed loop${limit}`;
  const rate = isKnown(ratePerSecond) ? `, ${figure(ratePerSecond)} ${arrivals}/s` : "";
  return `open loop${rate}${limit === "" ? "" : limit.replace(", ", ", at most ")}`;
}

/** Whether there is a number: JSON has null for those that are unknown or unlimited. */
function isKnown(value: number | null): value is number {
  return value !== null && Number.isFinite(value);
}

function tiles(model: LiveModel): HTMLElement {
  const tile = (label: string, value: string, className = ""): HTMLElement =>
    element("div", [element("span", label), element("b", value, className)]);
  return element("div", [
    tile("requests/s", figure(model.requestsPerSecond)),
    tile("tokens/s", figure(model.tokensPerSecond)),
    ...(model.sessions === undefined
      ? []
      : [tile("sessions in progress", figure(model.sessions.inProgress))]),
    tile("in flight", figure(model.inFlight)),
    // A closed loop queues nothing: what waits there, waits on the server.
    ...(model.load.loop === "open" ? [tile("queued in the client", figure(model.queued))] : []),
    tile("ok", figure(model.succeeded)),
    tile("failed", figure(model.failed), model.failed > 0 ? "bad" : ""),
    tile("TTFT p50, ms", figure(model.results.ttft.p50Ms)),
    tile("ITL p50, ms", figure(model.results.itl.p50Ms)),
  ], "tiles");
}

/** The panels of the report: requests, TTFT, ITL and tokens/s on one clock. */
function panels({ elapsedSeconds: seconds, history }: LiveModel): HTMLElement {
  const width = Math.max(260, document.getElementById("main")?.clientWidth ?? 0);
  const frame = (title: string, unit: string) => ({ title, unit, seconds, width });
  return element("div", [
    panel(frame("Requests", "running and waiting on the server, in flight by the client"), [
      { label: "running", color: "decode", values: history.running, isPart: true },
      { label: "waiting", color: "queue", values: history.waiting, isPart: true },
      { label: "in flight", color: "ink", values: history.inFlight },
    ]),
    panel(frame("TTFT", "ms, of requests that ended in the last 5 s"), [
      { label: "p50", color: "client", values: history.ttftP50Ms },
      { label: "p99", color: "client", values: history.ttftP99Ms, isDashed: true },
    ]),
    panel(frame("ITL", "ms, of requests that ended in the last 5 s"), [
      { label: "p50", color: "client", values: history.itlP50Ms },
      { label: "p99", color: "client", values: history.itlP99Ms, isDashed: true },
    ]),
    panel(frame("Output tokens", "tokens/s"), [
      { label: "client", color: "client", values: history.tokensPerSecond },
    ]),
  ]);
}

function servers({ results }: LiveModel): HTMLElement[] {
  return results.servers.flatMap(({ kind, url, figures, problem }) => [
    element("h2", `Server ${kind}  ${url}`),
    problem === undefined
      ? table(
        figures.map(({ label }) => label),
        [figures.map(({ of, value }) =>
          of === "share"
            ? `${figure(value === null ? null : value * 100)} %`
            : `${figure(value)}${of === "time" ? " ms" : ""}`
        )],
      )
      : element("p", problem, "bad"),
  ]);
}

function timesRow(label: string, times: LiveTimes): string[] {
  const { p50Ms, p99Ms, recentP50Ms, recentP99Ms, count } = times;
  return [label, ...[p50Ms, p99Ms, recentP50Ms, recentP99Ms, count].map(figure)];
}

function clientText({ results: { canaries }, cpuCores, cores, stolenShare }: LiveModel): string {
  return [
    canaries.count === 0
      ? ""
      : `read delay p50 ${figure(canaries.p50Ms)}, p99 ${figure(canaries.p99Ms)}, max ${
        figure(canaries.maxMs)
      } ms`,
    `CPU ${figure(cpuCores / cores * 100)} % of ${cores} cores`,
    stolenShare === null ? "" : `stolen ${figure(stolenShare * 100)} %`,
  ].filter((text) => text !== "").join("; ");
}

function messages({ load: { changes }, warnings }: LiveModel): HTMLElement[] {
  const lines = [
    ...warnings.map((text) => element("li", text)),
    ...changes.map(({ action, value }) =>
      element("li", `by hand: ${action}${value === undefined ? "" : ` ${value}`}`)
    ),
  ];
  return lines.length === 0 ? [] : [element("h2", "Messages"), element("ul", lines.reverse())];
}

function set(id: string, text: string): void {
  const place = document.getElementById(id);
  if (place !== null && place.textContent !== text) place.textContent = text;
}

async function ask(): Promise<void> {
  try {
    const reply = await fetch("live.json", {
      headers: { "Authorization": `Bearer ${token}` },
      cache: "no-store",
    });
    if (reply.status === 200) show(await reply.json());
    else set("state", reply.status === 503 ? "getting ready" : `HTTP ${reply.status}`);
  } catch {
    set("state", hasShown ? "the run is over, or cannot be reached" : "cannot be reached");
  }
  setTimeout(ask, INTERVAL_MS);
}

ask();
