import { finiteOrNull } from "../../core/files/finite_or_null.ts";
import type { RequestDetail, RequestPart } from "./browser/page_data.ts";
import type { KeptRequest } from "../model/kept_requests.ts";
import { milli, outcomeOf, radiusOf } from "./request_chart.ts";
import { type RunView, zeroNs } from "./run_view.ts";

/** Returns the details of single requests that a page contains. */
export function requestDetails(view: RunView): RequestDetail[] {
  const zero = zeroNs(view);
  const radius = radiusOf(view.requests);
  return view.requests.map((request): RequestDetail => {
    const { startNs, endNs, error } = request;
    return {
      number: request.index,
      id: request.requestId,
      outcome: outcomeOf(request),
      error: error === undefined
        ? ""
        : `${error.kind}${error.status === null ? "" : ` ${error.status}`}: ${error.message}`,
      start: milli((startNs - zero) / 1e9),
      latencyMs: milli((endNs - startNs) / 1e6),
      ttftMs: finiteOrNull(milli(request.ttftNs / 1e6)),
      inputTokens: finiteOrNull(request.inputTokens),
      outputTokens: finiteOrNull(request.outputTokens),
      radius: milli(radius(request.outputTokens)),
      parts: partsOf(request),
      chunkMs: request.chunkNs.map((stamp) => milli((stamp - startNs) / 1e6)),
      chunks: request.chunks,
    };
  });
}

/** The parts one after another; what did not happen, or took no time, is left out. */
function partsOf(request: KeptRequest): RequestPart[] {
  const { startNs, endNs, sendEndNs, headNs } = request;
  const parts: [string, number, number][] = [["queue wait", startNs - request.queuedNs, startNs]];
  let at = startNs;
  const step = (label: string, to: number): void => {
    if (!(to >= at)) return;
    parts.push([label, at, Math.min(to, endNs)]);
    at = to;
  };
  step("blocked", at + request.blockedNs);
  step("name lookup", at + request.dnsNs);
  step("connect", at + request.connectingNs);
  step("send", sendEndNs);
  // A request that failed before its reply waited until then.
  step("wait", Number.isNaN(headNs) ? endNs : headNs);
  if (!Number.isNaN(headNs)) step("receive", endNs);
  return parts.filter(([, from, to]) => to - from >= 1e3).map(([label, from, to]) => [
    label,
    milli((from - startNs) / 1e6),
    milli((to - startNs) / 1e6),
  ]);
}
