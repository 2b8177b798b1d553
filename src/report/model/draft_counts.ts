/** Counts of speculative decoding that several instances of servers have together. */

import { distributionOf, type MetricResults } from "../../measurement/metrics/metric_results.ts";
import type { RoleQuery } from "./role_figure.ts";
import type { ServerRoles } from "./server_roles.ts";

/** Counts over a window; undefined where they are not reported. */
export interface DraftCounts {
  /** Decode steps that had a draft. */
  readonly drafts?: number | undefined;
  readonly draftTokens?: number | undefined;
  /** Accepted draft tokens, also those that were cut off at the end of a reply. */
  readonly accepted?: number | undefined;
  /** Accepted tokens at each position of drafts, from the first. */
  readonly acceptedAt?: readonly number[] | undefined;
  /** Drafts that reached each position, where they are counted. */
  readonly draftedAt?: readonly number[] | undefined;
  /** Decode steps, with and without a draft. */
  readonly steps?: number | undefined;
  /** Generated tokens after the first token of each request. */
  readonly laterTokens?: number | undefined;
}

const ENGINES: RoleQuery = { layers: ["engine"] };

/**
 * Counts by the counters of engines. Steps are the observations of an engine whose time between
 * tokens has one for each step; other engines do not count them.
 */
export function countedDrafts(roles: ServerRoles): DraftCounts {
  const total = (role: Parameters<ServerRoles["figure"]>[0]): number | undefined =>
    roles.figure(role, ENGINES)?.stats["total"];
  const perStep = (["itl", "tpot"] as const).map((role) => roles.figure(role, ENGINES))
    .find((figure) => figure?.perStep);
  const generated = total("generation_tokens");
  // Each request with a first token has one that is of no decode step.
  const begun = roles.figure("ttft", ENGINES)?.stats["count"] ?? total("requests");
  const laterTokens = generated === undefined || begun === undefined
    ? undefined
    : Math.max(0, generated - begun);
  const draftedAt = atPositions(roles, "spec_drafted_per_pos");
  // A draft has at least one token.
  const drafts = total("spec_drafts") ?? draftedAt?.[0];
  return {
    drafts,
    draftTokens: total("spec_draft_tokens"),
    // SGLang counts neither; each of its steps then yields one token and those accepted.
    accepted: total("spec_accepted") ??
      (drafts === undefined || laterTokens === undefined
        ? undefined
        : Math.max(0, laterTokens - drafts)),
    acceptedAt: atPositions(roles, "spec_accepted_per_pos"),
    draftedAt,
    steps: perStep?.stats["count"],
    laterTokens,
  };
}

/** Counts by the replies of all valid requests. */
export function repliedDrafts(results: MetricResults): DraftCounts {
  const [drafted, accepted, drafts] = [
    ...["reported_draft_tokens", "reported_accepted_tokens"] as const,
    "reported_drafts" as const,
  ].map((tag) => distributionOf(results, tag));
  return {
    draftTokens: drafted?.sum,
    accepted: accepted?.sum,
    // Some replies may have tokens only.
    drafts: drafts?.count === drafted?.count ? drafts?.sum : undefined,
  };
}

/** Values of a role that is split by positions, in their order; undefined without positions. */
function atPositions(
  roles: ServerRoles,
  role: "spec_accepted_per_pos" | "spec_drafted_per_pos",
): readonly number[] | undefined {
  const by = roles.figure(role, ENGINES)?.by;
  if (by === undefined) return undefined;
  const positions = Object.keys(by).filter((name) => /^\d+$/.test(name));
  const counts = positions.sort((a, b) => Number(a) - Number(b)).map((name) => by[name] ?? 0);
  return counts.length === 0 ? undefined : counts;
}
