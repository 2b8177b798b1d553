/**
 * The parts of the mean time to first token. Means over the same requests add up; percentiles do not.
 * docs/server_metrics.md, "Time to first token", has the formulas.
 */

/** A mean time over requests. */
export interface MeanTime {
  readonly ms: number;
  /** Requests that it is the mean of. */
  readonly count: number;
}

/** Mean times that the engines of a pool report; missing where they report none. */
export interface EngineTimes {
  /** From the arrival at the engine to its first token. */
  readonly ttft?: MeanTime | undefined;
  /** From the arrival to the schedule. */
  readonly queue?: MeanTime | undefined;
  /** From the schedule to the first token. */
  readonly prefill?: MeanTime | undefined;
}

/** Mean times of a run, of all sides. */
export interface TtftTimes {
  readonly client: MeanTime;
  /** Time to first token of a router, gateway or frontend. */
  readonly front?: MeanTime | undefined;
  /** Engines that prefill and decode. */
  readonly unified?: EngineTimes | undefined;
  /** Instances that only prefill, and those that only decode. */
  readonly prefill?: EngineTimes | undefined;
  readonly decode?: EngineTimes | undefined;
  /** Transfer of the KV cache to the decode instance. */
  readonly transfer?: MeanTime | undefined;
}

/** Name of a part of the time to first token. */
export type TtftPartName =
  | "network_and_client"
  /** Network, client and front, where no front reports times. */
  | "network_and_front"
  | "front"
  | "queue"
  | "prefill"
  /** Tokenization and communication in engines. */
  | "engine_rest"
  /** Prefill and the engine's rest, where prefill is not reported. */
  | "prefill_and_rest"
  | "kv_transfer"
  /** Waiting of a decode instance for a place in its batch. */
  | "decode_queue"
  | "first_decode_step"
  /** Transfer and first decode step, where no transfer is reported. */
  | "kv_transfer_and_first_decode_step"
  /** Time outside engines that report neither queueing nor their time to first token. */
  | "network_and_queue"
  /** Time after the token of a prefill instance, where only replies report times. */
  | "transfer_decode_and_front";

/** A part, in milliseconds. */
export interface TtftPart {
  readonly name: TtftPartName;
  readonly ms: number;
}

/** Parts that add up to the client's mean time to first token. */
export interface JoinedTtft {
  readonly parts: readonly TtftPart[];
  /** Whether prefill and decode instances were given a request sequentially or at once. */
  readonly dispatch?: "sequential" | "concurrent";
}

/** The parts, or why the times do not add up. */
export type TtftJoin = JoinedTtft | { readonly reason: string };

/** Largest relative difference of counts of means that are joined. */
const COUNT_TOLERANCE = 0.02;
/** Largest negative part, by the client's time to first token. */
const NEGATIVE_TOLERANCE = 0.05;
/** Excess of both pools together over the whole with which they worked at once. */
const CONCURRENT_EXCESS = 1.02;

/** Joins the times of all sides to parts of the client's. */
export function joinTtft(times: TtftTimes): TtftJoin {
  const { client, decode, front, prefill, unified } = times;
  const isPair = prefill !== undefined || decode !== undefined;
  if (
    isPair && unified?.ttft !== undefined && unified.ttft.count > COUNT_TOLERANCE * client.count
  ) {
    return { reason: "some instances prefill and decode, others do only one of them" };
  }
  const sides: readonly (readonly [side: string, time: MeanTime | undefined])[] = [
    ["front counts", front],
    ...(isPair
      ? [["prefill instances count", prefill?.ttft], [
        "decode instances count",
        decode?.ttft,
      ]] as const
      : [unified?.ttft, unified?.queue, unified?.prefill]
        .map((time) => ["engines count", time] as const)),
  ];
  for (const [side, time] of sides) {
    if (time === undefined || isOfSame(time, client)) continue;
    const count = Math.round(time.count);
    return { reason: `the ${side} ${count} first tokens, the client ${client.count}` };
  }
  const joined = isPair ? joinPair(times) : joinUnified(client, front, unified);
  if ("reason" in joined) return joined;
  const least = joined.parts.reduce((least, part) => part.ms < least.ms ? part : least);
  return least.ms < -NEGATIVE_TOLERANCE * client.ms ? { reason: reasonOf(least, times) } : joined;
}

/** Whether two means are over the same requests, but for some at the ends of a window. */
function isOfSame({ count }: MeanTime, client: MeanTime): boolean {
  return Math.abs(count - client.count) <= COUNT_TOLERANCE * client.count;
}

function joinUnified(
  client: MeanTime,
  front: MeanTime | undefined,
  { prefill, queue, ttft }: EngineTimes = {},
): TtftJoin {
  if (ttft === undefined) {
    return { reason: "no engine reports its time to first token" };
  }
  const waited = queue?.ms ?? 0;
  return {
    parts: [
      ...outside(client, front, ttft.ms),
      ...(queue === undefined ? [] : [part("queue", queue.ms)]),
      ...(prefill === undefined
        ? [part("prefill_and_rest", ttft.ms - waited)]
        : [part("prefill", prefill.ms), part("engine_rest", ttft.ms - waited - prefill.ms)]),
    ],
  };
}

/** Prefill and decode instances: the second begins when the first is done, or both begin at once. */
function joinPair({ client, decode, front, prefill, transfer }: TtftTimes): TtftJoin {
  const [first, second] = [prefill?.ttft, decode?.ttft];
  if (first === undefined || second === undefined) {
    const side = first === undefined ? "prefill" : "decode";
    return { reason: `no ${side} instance reports its time to first token` };
  }
  const whole = front ?? client;
  const isConcurrent = first.ms + second.ms > CONCURRENT_EXCESS * whole.ms;
  const ofPrefill = joinUnified(first, undefined, prefill);
  if ("reason" in ofPrefill) return ofPrefill;
  // The first part is what lies outside of the engine, which is nothing here.
  const inPrefill = ofPrefill.parts.slice(1);
  return {
    dispatch: isConcurrent ? "concurrent" : "sequential",
    parts: isConcurrent
      ? [
        ...outside(client, front, second.ms),
        ...inPrefill,
        ...afterPrefill(second.ms - first.ms, transfer, undefined),
      ]
      : [
        ...outside(client, front, first.ms + second.ms),
        ...inPrefill,
        ...afterPrefill(second.ms, transfer, decode),
      ],
  };
}

/**
 * Parts of the time after the prefill instance's token.
 * @param decode times of the decode instances; undefined if they contain the wait for the prefill
 */
function afterPrefill(
  ms: number,
  transfer: MeanTime | undefined,
  decode: EngineTimes | undefined,
): TtftPart[] {
  const queueMs = decode?.queue?.ms ?? 0;
  if (transfer === undefined) {
    return [
      ...(decode?.queue === undefined ? [] : [part("decode_queue", queueMs)]),
      part("kv_transfer_and_first_decode_step", ms - queueMs),
    ];
  }
  // Some engines count the transfer as a part of their queue.
  const isInside = ms - queueMs - transfer.ms < -NEGATIVE_TOLERANCE * ms && queueMs >= transfer.ms;
  const ownQueueMs = isInside ? queueMs - transfer.ms : queueMs;
  return [
    part("kv_transfer", transfer.ms),
    ...(decode?.queue === undefined ? [] : [part("decode_queue", ownQueueMs)]),
    part("first_decode_step", ms - transfer.ms - ownQueueMs),
  ];
}

/** Parts outside the engines, which take `engineMs` of the client's time. */
function outside(client: MeanTime, front: MeanTime | undefined, engineMs: number): TtftPart[] {
  return front === undefined
    ? [part("network_and_front", client.ms - engineMs)]
    : [part("network_and_client", client.ms - front.ms), part("front", front.ms - engineMs)];
}

function part(name: TtftPartName, ms: number): TtftPart {
  return { name, ms };
}

/** Times that do not add up, side by side. */
function reasonOf({ ms, name }: TtftPart, times: TtftTimes): string {
  const { client, decode, front, prefill, unified } = times;
  const sides = [
    ["client", client],
    ["front", front],
    ["engines", unified?.ttft],
    ["prefill", prefill?.ttft],
    ["decode", decode?.ttft],
  ] as const;
  const known = sides.flatMap(([side, time]) =>
    time === undefined ? [] : [`${side} ${time.ms.toPrecision(4)} ms`]
  );
  return `${name} would be ${ms.toPrecision(3)} ms: TTFT by ${known.join(", ")}`;
}

/** Mean times that replies report, over the requests that report them. */
export interface RepliedTimes {
  readonly queue?: MeanTime | undefined;
  readonly prefill?: MeanTime | undefined;
  readonly ttft?: MeanTime | undefined;
}

/**
 * Joins the times that replies carry. Queue and prefill without a time to first token
 * mean that another instance sent the first token to the client.
 * @param front the front's time to first token, if its metrics report it
 */
export function joinReplied(
  client: MeanTime,
  { prefill, queue, ttft }: RepliedTimes,
  front?: MeanTime,
): TtftJoin {
  if (prefill === undefined) return { reason: "replies do not report prefill" };
  if (!isOfSame(prefill, client)) {
    return { reason: `only ${prefill.count} of ${client.count} replies report prefill` };
  }
  const known = (queue?.ms ?? 0) + prefill.ms;
  const engineMs = Math.max(known, ttft?.ms ?? 0);
  const restMs = client.ms - engineMs;
  if (restMs < -NEGATIVE_TOLERANCE * client.ms) {
    return {
      reason: `replies report ${known.toPrecision(4)} ms, the client ${
        client.ms.toPrecision(4)
      } ms`,
    };
  }
  const isWithin = front !== undefined && isOfSame(front, client) &&
    front.ms - engineMs >= -NEGATIVE_TOLERANCE * client.ms;
  const rest = queue === undefined
    ? [part("network_and_queue", restMs)]
    : ttft === undefined
    ? [part("transfer_decode_and_front", restMs)]
    : outside(client, isWithin ? front : undefined, engineMs);
  return { parts: [...rest, ...repliedParts({ queue, prefill, ttft }, known)] };
}

/** @param knownMs queue and prefill together */
function repliedParts({ prefill, queue, ttft }: RepliedTimes, knownMs: number): TtftPart[] {
  return [
    ...(queue === undefined ? [] : [part("queue", queue.ms)]),
    ...(prefill === undefined ? [] : [part("prefill", prefill.ms)]),
    ...(ttft !== undefined && ttft.ms > knownMs ? [part("engine_rest", ttft.ms - knownMs)] : []),
  ];
}
