/**
 * `shard.json`: the manifest of a shard, written after all its other files. A folder without one is
 * that of a shard which was killed, or is still at work.
 */

import * as z from "npm:zod@4.6.7";
import { jsonText } from "../../core/files/json_text.ts";
import type { EndReason } from "../../core/run_end/end_reason.ts";
import { storedEndReason } from "../../core/run_end/stored_end_reason.ts";
import type { Shard } from "./shard.ts";

/** Name of the file in the folder of a shard. */
export const SHARD_FILE = "shard.json";
/** The newest layout of the file. */
const SHARD_FORMAT_VERSION = 1;

/** Size and digest of a file. */
export interface FileDigest {
  readonly bytes: number;
  /** In hexadecimal digits. */
  readonly sha256: string;
}

/** Facts of a shard that is over. */
export interface ShardFacts {
  /**
   * Hash that is equal in all shards of a run: of what is sent, its destination, and how it is
   * evaluated.
   */
  readonly planHash: string;
  /** The program, as `inferometer/0.1.0`. */
  readonly version: string;
  readonly seed: number;
  readonly shard: Shard;
  readonly host: string;
  /** By the clock of shard 0; undefined where no phase began. */
  readonly start: {
    /** Nanoseconds since 1970. */
    readonly intendedNs: bigint;
    readonly actualNs: bigint;
    readonly latenessMs: number;
  } | undefined;
  /**
   * Offset by which this machine's clock is ahead of shard 0's; undefined if it was not measured.
   */
  readonly clock: {
    readonly offsetMs: number;
    /** The true offset lies at most so far from that. */
    readonly errorMs: number;
  } | undefined;
  /** Counts of the profiling phase. */
  readonly counts: {
    /** Requests that were sent. */
    readonly requests: number;
    readonly failed: number;
    readonly cancelled: number;
    readonly sessions: number;
  };
  /** Why it ended, in a word or a sentence: `complete`, `interrupted`, or what went wrong. */
  readonly exitReason: string;
  /** Code of why it did not do all that was planned; undefined if it did. */
  readonly endReason: EndReason | undefined;
  /** Whether it did less than its share. */
  readonly partial: boolean;
}

/** See the module's comment. */
export interface ShardManifest extends ShardFacts {
  /** Every file in the shard's folder but this one, by its name there. */
  readonly files: ReadonlyMap<string, FileDigest>;
}

const count = z.number().int().nonnegative();
const nanoseconds = z.string().regex(/^-?\d+$/).transform((digits) => BigInt(digits));

const FILE = z.object({
  "plan_hash": z.string().min(1),
  "version": z.string(),
  "seed": z.number(),
  "shard": z.object({ "index": count, "count": count.min(1) })
    .refine(({ index, count }) => index < count, "index must be less than count"),
  "host": z.string(),
  "start": z.object({
    "intended_ns": nanoseconds,
    "actual_ns": nanoseconds,
    "lateness_ms": z.number(),
  }).nullable(),
  "clock": z.object({
    "offset_ms": z.number(),
    "error_ms": z.number().nonnegative(),
  }).nullable(),
  "counts": z.object({
    "requests": count,
    "failed": count,
    "cancelled": count,
    "sessions": count,
  }),
  "files": z.record(
    z.string(),
    z.object({ "bytes": count, "sha256": z.string().regex(/^[0-9a-f]{64}$/) }),
  ),
  "exit_reason": z.string(),
  "ended_early_reason": z.string().nullable().optional(),
  "partial": z.boolean(),
});

/** The text of the file. */
export function shardManifestText(manifest: ShardManifest): string {
  const { planHash, version, seed, shard, host, start, clock, counts } = manifest;
  const { requests, failed, cancelled, sessions } = counts;
  const text = jsonText({
    "format_version": SHARD_FORMAT_VERSION,
    "plan_hash": planHash,
    "version": version,
    "seed": seed,
    "shard": { "index": shard.index, "count": shard.count },
    "host": host,
    "start": start === undefined ? null : {
      "intended_ns": start.intendedNs,
      "actual_ns": start.actualNs,
      "lateness_ms": start.latenessMs,
    },
    "clock": clock === undefined
      ? null
      : { "offset_ms": clock.offsetMs, "error_ms": clock.errorMs },
    "counts": { requests, failed, cancelled, sessions },
    "files": Object.fromEntries(
      [...manifest.files].map(([name, { bytes, sha256 }]) => [name, { bytes, sha256 }]),
    ),
    "exit_reason": manifest.exitReason,
    "ended_early_reason": manifest.endReason ?? null,
    "partial": manifest.partial,
  });
  return `${text}\n`;
}

/** Words that version 0.1.0 wrote where it had no sentence. */
const WORDS: Readonly<Record<string, EndReason | undefined>> = {
  "complete": undefined,
  "interrupted": "interrupted",
  "held up": "held_up",
  "incomplete": "worker_lost",
};

function endReasonOf(code: string | null | undefined, text: string): EndReason | undefined {
  if (code === undefined && Object.hasOwn(WORDS, text)) return WORDS[text];
  return storedEndReason({ code, text, wasCancelled: false });
}

/**
 * Reads a manifest from its text.
 * @throws {SyntaxError} in one sentence, if the text is not a manifest, or has a newer layout
 */
export function parseShardManifest(text: string): ShardManifest {
  let json: { format_version?: unknown } | null;
  try {
    // Nanoseconds since 1970 have more digits than a number.
    const exact = text.replace(/("(?:intended|actual)_ns":\s*)(-?\d+)/g, '$1"$2"');
    json = JSON.parse(exact);
  } catch {
    throw new SyntaxError("It is not JSON, or ends too early");
  }
  const version = json?.format_version;
  if (typeof version === "number" && version > SHARD_FORMAT_VERSION) {
    throw new SyntaxError(`format_version ${version} is newer than this program`);
  }
  const { data, error } = FILE.safeParse(json);
  if (data === undefined) {
    const [issue] = error.issues;
    throw new SyntaxError(`${issue?.path.join(".") || "It"}: ${issue?.message}`);
  }
  return {
    planHash: data.plan_hash,
    version: data.version,
    seed: data.seed,
    shard: data.shard,
    host: data.host,
    start: data.start === null ? undefined : {
      intendedNs: data.start.intended_ns,
      actualNs: data.start.actual_ns,
      latenessMs: data.start.lateness_ms,
    },
    clock: data.clock === null
      ? undefined
      : { offsetMs: data.clock.offset_ms, errorMs: data.clock.error_ms },
    counts: data.counts,
    files: new Map(Object.entries(data.files)),
    exitReason: data.exit_reason,
    endReason: endReasonOf(data.ended_early_reason, data.exit_reason),
    partial: data.partial,
  };
}
