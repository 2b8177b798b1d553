/** Rows of the table of engines. */

import type { RoleSources } from "./role_source.ts";
import type { RoleName, ShareName } from "./roles.ts";

/**
 * Distance of a program from the tokens: what several layers report is the same requests again, and
 * only numbers of one layer may be added up.
 */
export type Layer =
  /** Computes tokens. */
  | "engine"
  /** Wraps one engine. */
  | "worker"
  /** Router, gateway or frontend. */
  | "front"
  /** Cache outside of engines. */
  | "tier"
  /** Exporter of GPU metrics. */
  | "gpu";

/** Layers in the order in which an unqualified role is looked for. */
export const INNERMOST_FIRST: readonly Layer[] = ["gpu", "engine", "worker", "front", "tier"];

/** Layers in the order in which requests reach them: the first counts requests as the client does. */
export const OUTERMOST_FIRST: readonly Layer[] = ["front", "worker", "engine"];

/** Place of a front that states none. */
export const USUAL_FRONT_ORDER = 2;

/** Path that servers report version or configuration at; reading it changes nothing. */
export interface Question {
  readonly path: string;
  /** Beginning of the names of its facts; empty for none. */
  readonly prefix: string;
  /** Takes out of a reply what is worth keeping; all of it where this is missing. */
  readonly pick?: (reply: Readonly<Record<string, unknown>>) => unknown;
}

/** A program that exposes metrics: an engine, or a program that works with engines. */
export interface Engine {
  readonly name: string;
  readonly layer: Layer;
  /** Beginnings of the names of its metrics; those of the table begin with the first. */
  readonly prefixes: readonly string[];
  /** Whether the other prefixes are spellings of the first, and not other metrics. */
  readonly hasAliases?: true;
  /** Metrics by which a page without prefixes is recognised: two of them must be present. */
  readonly bareNames?: readonly string[];
  /** Paths of the metrics at the address of the API; none where they have a port of their own. */
  readonly paths: readonly string[];
  /** Usual port of the metrics, or the setting that names it, if it is not the API's. */
  readonly ownPort?: string;
  /** Option or setting without which the program exposes no metrics. */
  readonly needs?: string;
  readonly roles: RoleSources;
  /** Labels of ranks that report copies of the same values. */
  readonly copyLabels?: readonly string[];
  /** Labels whose series are parts of a total, which has them empty. */
  readonly partLabels?: readonly string[];
  /**
   * Place of a front in a chain of different fronts, which all see the same requests: the smallest
   * is the first that requests reach. @default 2
   */
  readonly frontOrder?: number;
  /** Tokens of a block of its prefix cache where its pages do not report them. */
  readonly cacheBlockTokens?: number;
  /** Blocks of each instance that are counted and never used. @default 0 */
  readonly unusableBlocks?: number;
  /** Labels of series that a router shows about other servers. */
  readonly routerLabels?: readonly string[];
  /** Label whose values name the pools of instances: `prefill`, `decode`. */
  readonly poolLabel?: string;
  /** Metrics worth a table of their own, the most telling first. @default those of its roles */
  readonly keyMetrics?: readonly string[];
  /** Rows of short reports. @default {@linkcode BRIEF_ROLES} */
  readonly brief?: readonly (RoleName | ShareName)[];
  readonly questions?: readonly Question[];
}

/** Rows of short reports, in their order. */
export const BRIEF_ROLES: readonly (RoleName | ShareName)[] = [
  ...["running", "waiting", "waiting_pd", "router_waiting", "front_waiting"] as const,
  ...["decode_waiting", "swapped", "kv_usage", "prefix_hit_share", "prefix_hit_rate"] as const,
  ...[
    "external_hit_share",
    "cached_share",
    "routed_hit_share",
    "queue",
    "prefill",
    "ttft",
    "preemptions",
    "failures",
  ] as const,
  ...["rejections", "gpu"] as const,
];

/** Roles whose metrics are the key metrics of engines that name none. */
export const KEY_ROLES: readonly RoleName[] = [
  ...["running", "waiting", "kv_usage", "requests", "failures", "ttft", "itl", "tpot"] as const,
  ...["e2e", "queue", "inference", "prompt_tokens", "generation_tokens", "prefix_hits"] as const,
  ...["prefix_queries", "transfer_time", "usage_bytes", "allocated_bytes"] as const,
  ...["gpu", "power", "memory_used", "energy"] as const,
];
