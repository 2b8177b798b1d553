import { check } from "./steps.ts";

/** `shard.json` as far as it is looked at. */
export interface ShardFile {
  readonly "clock": { readonly "offset_ms": number; readonly "error_ms": number } | null;
  readonly "start": { readonly "intended_ns": number; readonly "lateness_ms": number } | null;
  readonly "counts": { readonly "requests": number; readonly "sessions": number };
  readonly "exit_reason": string;
  readonly "ended_early_reason": string | null;
  readonly "partial": boolean;
}

/** The folder of a shard. */
export function shardFolder(folder: string, index: number, count: number): string {
  const digits = (number: number) => String(number).padStart(4, "0");
  return `${folder}/shard-${digits(index)}-of-${digits(count)}`;
}

/** What a shard says of itself; undefined if it does not. */
export async function shardFile(
  folder: string,
  index: number,
  count: number,
): Promise<ShardFile | undefined> {
  try {
    return JSON.parse(await Deno.readTextFile(`${shardFolder(folder, index, count)}/shard.json`));
  } catch {
    return undefined;
  }
}

/** A line of the records of a run. */
interface Line {
  readonly "metadata": {
    readonly "benchmark_phase": string;
    readonly "session_num": number;
    readonly "turn_index"?: number;
  };
}

/** The records of the measurement in a folder. */
export async function profilingLines(folder: string): Promise<Line[]> {
  const text = await Deno.readTextFile(`${folder}/profile_export.jsonl`);
  return text.trimEnd().split("\n").map((line) => JSON.parse(line) as Line)
    .filter(({ metadata }) => metadata["benchmark_phase"] === "profiling");
}

/**
 * Checks a run whose shards have all come to their ends, and its merged result.
 * @param aheadMs how far the clock of each shard is ahead of shard 0's; undefined where clocks are
 * not compared
 * @returns what it came to, in words
 */
export async function checkWhole(
  folder: string,
  count: number,
  { aheadMs, requests }: {
    readonly aheadMs: readonly number[] | undefined;
    readonly requests?: number | undefined;
  },
): Promise<string> {
  let sent = 0;
  let lateMs = 0;
  let errorMs = 0;
  let intendedNs: number | undefined;
  for (let index = 0; index < count; index++) {
    const shard = await shardFile(folder, index, count);
    check(shard !== undefined, `shard ${index} has no shard.json`);
    const { clock, start, partial, exit_reason: reason, counts } = shard;
    check(!partial, `shard ${index} is partial: ${reason}`);
    check(start !== null, `shard ${index} does not say when it began`);
    if (aheadMs === undefined) check(clock === null, `shard ${index} has compared clocks`);
    else {
      check(clock !== null, `shard ${index} has not compared clocks`);
      const expected = aheadMs[index] ?? 0;
      // What faketime adds differs by some microseconds from call to call.
      const isRight = Math.abs(clock.offset_ms - expected) <= clock.error_ms + 1;
      check(isRight, `shard ${index} measured ${clock.offset_ms} ms`);
      errorMs = Math.max(errorMs, clock.error_ms);
    }
    // In nanoseconds by shard 0's clock; a double knows them to a quarter of a microsecond.
    intendedNs ??= start.intended_ns;
    const apartMs = Math.abs(start.intended_ns - intendedNs) / 1e6;
    check(apartMs <= (clock?.error_ms ?? 0) + 1, `shard ${index} meant to begin ${apartMs} ms off`);
    lateMs = Math.max(lateMs, start.lateness_ms);
    sent += counts.requests;
    const own = await profilingLines(shardFolder(folder, index, count));
    check(own.length > 0, `shard ${index} has sent nothing`);
    const foreign = own.find(({ metadata }) => metadata["session_num"] % count !== index);
    check(foreign === undefined, `shard ${index} has sent what is another one's`);
  }
  const lines = await profilingLines(folder);
  check(lines.length === sent, `${lines.length} records of ${sent} requests`);
  check(requests === undefined || sent === requests, `${sent} requests, not ${requests}`);
  const names = lines.map(({ metadata }) => `${metadata["session_num"]} ${metadata["turn_index"]}`);
  check(new Set(names).size === sent, "a request was sent twice");
  const clocks = aheadMs === undefined ? "" : `, clocks known to ${errorMs.toFixed(3)} ms`;
  return `${sent} requests${clocks}, begun ${lateMs.toFixed(1)} ms late at most`;
}
