/** Colours and order of the parts of a request's time, the same on every page. */

import type { ColorName } from "../../core/chart/chart.ts";
import type { TimePart } from "../model/time_parts.ts";

/** Colours of the parts of a request's time. */
export const PART_COLORS: Readonly<Record<TimePart["name"], ColorName>> = {
  "queue": "queue",
  "prefill": "prefill",
  "prefill and network": "prefill",
  "TTFT": "client",
  "decode": "decode",
  "network": "network",
  "network and queue": "network",
  "network and front": "network",
  "engine and network": "network",
  "front": "purple",
  "engine": "grey",
  "prefill and engine": "prefill",
  "KV transfer": "cached",
  "KV transfer and first decode step": "cached",
  "decode queue": "vermilion",
  "first decode step": "green",
  "transfer, decode and front": "network",
  "transfer and network": "network",
};

/** The order in which the parts happen. */
export const PART_ORDER: readonly TimePart["name"][] = [
  ...["network", "network and queue", "network and front", "front", "queue", "prefill"] as const,
  ...["prefill and network", "engine and network"] as const,
  ...["prefill and engine", "engine", "KV transfer", "decode queue", "first decode step"] as const,
  ...["KV transfer and first decode step", "transfer, decode and front"] as const,
  ...["transfer and network", "TTFT", "decode"] as const,
];
