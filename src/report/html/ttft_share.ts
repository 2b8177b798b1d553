import type { ColorName } from "../../core/chart/chart.ts";
import type { ServerTruth } from "../model/server_truth.ts";
import { ttftLabel } from "../model/time_parts.ts";
import type { TtftPartName } from "../model/ttft_parts.ts";
import type { TimeShares } from "./time_share.ts";

const PARTS: Readonly<Record<TtftPartName, readonly [color: ColorName, explanation: string]>> = {
  "network_and_client": [
    "network",
    "network and client: TTFT of the client minus that of the front",
  ],
  "network_and_front": [
    "network",
    "network, client and front: TTFT of the client minus the engine's",
  ],
  front: ["purple", "router, gateway or frontend"],
  queue: ["queue", "waiting to be scheduled"],
  prefill: ["prefill", "processing the prompt"],
  "engine_rest": ["grey", "tokenization and communication in the engine"],
  "prefill_and_rest": ["prefill", "processing the prompt, and the engine's rest"],
  "kv_transfer": ["cached", "KV cache on its way to the decode instance"],
  "decode_queue": ["vermilion", "waiting for a place in the decode instance's batch"],
  "first_decode_step": ["green", "the first step of the decode instance"],
  "kv_transfer_and_first_decode_step": ["cached", "from the prefill's token to the client's"],
  "network_and_queue": ["network", "TTFT of the client minus prefill"],
  "transfer_decode_and_front": ["network", "TTFT of the client minus queue and prefill"],
};

/** The parts of the time to first token; undefined if they are not known. */
export function ttftShare(truth: ServerTruth | undefined): TimeShares | undefined {
  const { basis, parts = [] } =
    [truth?.shownTtft, truth?.ttftSplit].find((split) => split?.basis !== undefined) ?? {};
  const [largest] = parts.toSorted((a, b) => b.ms - a.ms);
  if (basis === undefined || largest === undefined) return undefined;
  const percent = Math.round(largest.ms / basis.clientMs * 100);
  const [, explanation] = PARTS[largest.name];
  const names = parts.map(({ name }) => name);
  return {
    side: "ttft",
    title: `${percent} % of TTFT is ${ttftLabel(largest.name, names)}: ${explanation}`,
    basis: `Means of the ${basis.window === "steady" ? "steady state" : "whole run"}, from ` +
      `${basis.source} and client` +
      (basis.dispatch === undefined ? "" : `; ${basis.dispatch} dispatch to prefill and decode`),
    // Less than zero within the tolerance of the join is nothing.
    parts: parts.map(({ ms, name }) => {
      const [color, explanation] = PARTS[name];
      return { label: ttftLabel(name, names), ms: Math.max(0, ms), color, explanation };
    }),
  };
}
