import type { TruthInput, TruthPart } from "./truth_part.ts";
import {
  joinReplied,
  joinTtft,
  type TtftJoin,
  type TtftPart,
  type TtftPartName,
} from "./ttft_parts.ts";
import { clientTtft, countedTimes, repliedTimes } from "./ttft_times.ts";

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
const NO_PAIR = "no instance only prefills or only decodes";

/**
 * Splits the client's mean time to first token: over the steady state where there is one, else over
 * the whole run; by the servers' metrics, else by what replies report.
 */
export function ttftSplit(input: TruthInput): TtftSplitPart {
  const { results, roles, shown } = input;
  const windows = [
    ...(shown === undefined ? [] : [shown]),
    ...(shown?.name === "run" ? [] : [{ name: "run", results, roles } as const]),
  ];
  let reason: string | undefined;
  for (const { name, results, roles } of windows) {
    const client = clientTtft(results);
    if (client === undefined) {
      reason ??= "replies are not streamed: their first token is not visible";
      continue;
    }
    const joins: readonly (readonly [source: TtftBasis["source"], join: TtftJoin])[] = [
      ...(roles === undefined
        ? []
        : [["server metrics", joinTtft(countedTimes(client, roles))] as const]),
      ["replies", joinReplied(client, repliedTimes(results))],
    ];
    for (const [source, join] of joins) {
      if ("reason" in join) {
        reason ??= join.reason;
        continue;
      }
      const basis = { clientMs: client.ms, source, window: name, dispatch: join.dispatch };
      return { ...partOf(join.parts, (roles?.pools.length ?? 0) > 0), basis, parts: join.parts };
    }
  }
  const values = Object.fromEntries(ALWAYS.map((name) => [name, null]));
  return { values, reasons: { "": `not split: ${reason}` }, basis: undefined, parts: [] };
}

function partOf(parts: readonly TtftPart[], isPair: boolean): TruthPart<TtftSplit> {
  const known = new Map<string, number>(parts.map(({ ms, name }) => [name, ms]));
  const missing = ALWAYS.filter((name) => !known.has(name));
  const isOfPair = (name: string): boolean =>
    name === "kv_transfer" || name === "first_decode_step";
  return {
    values: {
      ...Object.fromEntries(ALWAYS.map((name) => [name, known.get(name) ?? null])),
      ...Object.fromEntries(known),
    },
    reasons: Object.fromEntries(
      missing.map((name) => [name, isOfPair(name) && !isPair ? NO_PAIR : NOT_REPORTED[name]]),
    ),
  };
}
