/** Messages between shards. */

import * as z from "npm:zod@4.6.7";

const index = z.number().int().nonnegative().max(10_000);
const text = z.string().max(300);
/** Sentences of shard 0, with names of hosts in them. */
const sentence = z.string().max(4000);
const stage = z.union([z.literal(0), z.literal(1)]);

/** The first message of shard 0; it is not proved. */
export const HELLO = z.object({ "hello": z.literal("inferometer"), "nonce": text });

/** The first message of another shard. */
export const JOIN = z.object({
  "nonce": text,
  /** Tells a shard that comes again from another one of the same index. */
  "instance": text,
  "index": index,
  "count": index,
  "host": text,
  "plan": text,
  "version": text,
});

/** Messages of the other shards after that. */
export const FROM_GUEST = z.union([
  z.object({ "ask": stage }),
  z.object({ "probe": z.number() }),
  z.object({ "ready": stage }),
  z.object({ "over": z.literal(true) }),
  z.object({ "file": text, "bytes": z.number().int().nonnegative() }),
  z.object({ "sent": z.literal(true) }),
]);

/** Messages of shard 0 after its first. */
export const FROM_HOST = z.union([
  z.object({ "welcome": z.literal(true) }),
  z.object({ "collected": z.literal(true) }),
  z.object({ "refused": sentence }),
  z.object({ "failed": sentence }),
  z.object({ "turn": stage }),
  z.object({ "echo": z.number(), "receivedMs": z.number(), "sentMs": z.number() }),
  z.object({ "start": stage, "atMs": z.number(), "warning": sentence.nullable() }),
]);

export type FromFollower = z.infer<typeof FROM_GUEST>;
export type FromHost = z.infer<typeof FROM_HOST>;
