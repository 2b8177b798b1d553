import type { ServerRoles } from "./server_roles.ts";
import type { TruthPart, TruthWindow } from "./truth_part.ts";
import {
  type JoinedTtft,
  joinReplied,
  joinTtft,
  type MeanTime,
  type TtftPart,
  type TtftPartName,
} from "./ttft_parts.ts";
import { clientTtft, countedTimes, hasFailedTransfers, repliedTimes } from "./ttft_times.ts";

/** Mean milliseconds of each part of the time to first token, by its name; they add up. */
export type TtftSplit = Readonly<Record<string, number | null>>;

/** Origin of a split. */
export interface TtftBasis {
  /** Mean time to first token by the client, which the parts add up to, in milliseconds. */
  readonly clientMs: number;
  readonly source: "server metrics" | "replies";
  /** Part of the run that all means are of. */
  readonly window: "steady" | "run";
  /** Whether prefill and decode instances were given a request sequentially or at once. */
  readonly dispatch: "sequential" | "concurrent" | undefined;
}

/** A split with its origin; without it, the times do not add up. */
export interface TtftSplitPart extends TruthPart<TtftSplit> {
  readonly basis: TtftBasis | undefined;
  readonly parts: readonly TtftPart[];
}

/** Parts that every split has, null where a deployment does not have them or does not report them. */
const ALWAYS = [
  ...["network_and_client", "front", "queue", "prefill", "kv_transfer"] as const,
  "first_decode_step" as const,
] satisfies readonly TtftPartName[];

const NOT_REPORTED: Readonly<Record<typeof ALWAYS[number], string>> = {
  "network_and_client": "no front reports its time to first token",
  front: "no front reports its time to first token",
  queue: "the servers do not report the time in their queue",
  prefill: "the servers do not report the time of prefill",
  "kv_transfer": "no server reports the time of KV transfers",
  "first_decode_step": "no server reports the time of KV transfers",
};
const NOT_REPLIED = "replies do not report it separately";
const FAILED = "some transfers failed, and no server reports their time";
const NO_PAIR = "no instance only prefills or only decodes";

/**
 * Splits the client's mean time to first token over a part of a run, by the servers' metrics, else by
 * the replies' own reports.
 */
export function ttftSplit({ name, results, roles }: TruthWindow): TtftSplitPart {
  const client = clientTtft(results);
  if (client === undefined) return unsplit("replies are not streamed: their first token is hidden");
  const times = roles && countedTimes(client, roles);
  const counted = times && joinTtft(times);
  if (counted !== undefined && !("reason" in counted)) {
    return splitOf(counted, { client, name, roles, source: "server metrics" });
  }
  const replied = joinReplied(client, repliedTimes(results), times?.front);
  return "reason" in replied
    ? unsplit(counted?.reason ?? replied.reason)
    : splitOf(replied, { client, name, roles, source: "replies" });
}

function unsplit(reason: string): TtftSplitPart {
  const values = Object.fromEntries(ALWAYS.map((name) => [name, null]));
  return { values, reasons: { "": `not split: ${reason}` }, basis: undefined, parts: [] };
}

function splitOf(
  { dispatch, parts }: JoinedTtft,
  { client, name, roles, source }: {
    readonly client: MeanTime;
    readonly name: TtftBasis["window"];
    readonly roles: ServerRoles | undefined;
    readonly source: TtftBasis["source"];
  },
): TtftSplitPart {
  const known = new Map<string, number>(parts.map(({ ms, name }) => [name, ms]));
  const missing = ALWAYS.filter((name) => !known.has(name));
  const isPair = (roles?.pools.length ?? 0) > 0;
  const isOfPair = (name: string): boolean =>
    name === "kv_transfer" || name === "first_decode_step";
  return {
    values: {
      ...Object.fromEntries(ALWAYS.map((name) => [name, known.get(name) ?? null])),
      ...Object.fromEntries(known),
    },
    reasons: Object.fromEntries(missing.map((name) => [
      name,
      isOfPair(name) && !isPair && roles !== undefined
        ? NO_PAIR
        : source === "replies"
        ? NOT_REPLIED
        : isOfPair(name) && roles !== undefined && hasFailedTransfers(roles)
        ? FAILED
        : NOT_REPORTED[name],
    ])),
    basis: { clientMs: client.ms, source, window: name, dispatch },
    parts,
  };
}
