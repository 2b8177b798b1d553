/** Shows a run in progress in a browser: requests its newest state, and draws it. */

import type { LiveModel, LiveTimes } from "../live_model.ts";
import { chart, type Curve, element, figure, table } from "./elements.ts";

const INTERVAL_MS = 1000;
const token = new URLSearchParams(location.search).get("token") ?? "";
/** Whether there has been a moment. */
let hasShown = false;

/** Numbers that are not known are null in JSON. */
type Values = readonly (number | null)[];

function show(model: LiveModel): void {
  hasShown = true;
  set("what", `${model.targets.join(", ")}  ${model.model}`);
  set("state", stateOf(model));
  const { results } = model;
  document.getElementById("main")?.replaceChildren(
    tiles(model),
    charts(model),
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

function stateOf({ phase, stage, share, elapsedSeconds, load }: LiveModel): string {
  if (stage !== "") return stage;
  return [
    phase === "warmup" ? "warm-up" : "profiling",
    share === null ? "" : `${Math.floor(share * 100)} %`,
    `${Math.floor(elapsedSeconds)} s`,
    load.isPaused ? "paused" : "",
  ].filter((text) => text !== "").join("  ");
}

function tiles(model: LiveModel): HTMLElement {
  const tile = (label: string, value: string, className = ""): HTMLElement =>
    element("div", [element("span", label), element("b", value, className)]);
  return element("div", [
    tile("requests/s", figure(model.requestsPerSecond)),
    tile("tokens/s", figure(model.tokensPerSecond)),
    tile("in flight", figure(model.inFlight)),
    // A closed loop queues nothing: what waits there, waits on the server.
    ...(model.load.loop === "open" ? [tile("queued in the client", figure(model.queued))] : []),
    tile("ok", figure(model.succeeded)),
    tile("failed", figure(model.failed), model.failed > 0 ? "bad" : ""),
    tile("TTFT p50, ms", figure(model.results.ttft.p50Ms)),
    tile("ITL p50, ms", figure(model.results.itl.p50Ms)),
  ], "tiles");
}

function charts({ history }: LiveModel): HTMLElement {
  return element("div", [
    chart("Requests", "requests/s", [curve("now", history.requestsPerSecond)]),
    chart("Tokens", "tokens/s", [curve("now", history.tokensPerSecond)]),
    chart("In flight", "requests", [curve("now", history.inFlight)]),
    chart("TTFT", "ms", [curve("p50", history.ttftP50Ms), curve("p99", history.ttftP99Ms)]),
    chart("ITL", "ms", [curve("p50", history.itlP50Ms), curve("p99", history.itlP99Ms)]),
    chart("Server", "requests", [
      curve("running", history.running),
      curve("waiting", history.waiting),
    ]),
  ], "charts");
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

function curve(label: string, values: Values): Curve {
  return { label, values };
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
