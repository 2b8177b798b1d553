/**
 * What a canary stands for. A canary is a small message that a thread of this program writes, at a
 * known time, on a loopback connection which a load worker reads among its real streams: how long it
 * lay unread is how long a real chunk lay unread then.
 */
const CANARY_KINDS = [
  /** Written at random instants: any chunk. */
  "poisson",
  /** Written when a request's first chunk can be expected. */
  "first",
  /** Written when a request's last chunk can be expected. */
  "last",
  /** Written when a request's second chunk can be expected. */
  "second",
  /** No canary: a stretch in which a load worker stood still. */
  "stall",
  /** No canary either: one lay unread for longer than the turns of the event loop allow for. */
  "contradiction",
] as const;

/** Name of a kind. */
export type CanaryKind = typeof CANARY_KINDS[number];

const NO_MESSAGES = ["stall", "contradiction"] as const;

/**
 * A load worker finds its stalls by a timer of this interval: each may have begun so much before
 * the timer was due.
 */
export const STALL_TICK_MS = 15;

/** A chunk of a request for which canaries of its own are written. */
export type Shadow = Exclude<CanaryKind, "poisson" | typeof NO_MESSAGES[number]>;

/** The kinds that are messages. */
export const MESSAGE_KINDS: readonly CanaryKind[] = CANARY_KINDS.filter((kind) =>
  !NO_MESSAGES.some((other) => other === kind)
);

/** Number of each kind in files and messages. */
export const CANARY_KIND = Object.fromEntries(
  CANARY_KINDS.map((kind, number) => [kind, number]),
) as Readonly<Record<CanaryKind, number>>;

/**
 * Numbers of a row: the kind; when it was intended (a stall: when it began), when it was written,
 * and when a load worker had read it (a stall: when it ended), in nanoseconds of the run's clock. Of a
 * contradiction, the second is when the canary was written, the third since when it was taken to lie
 * unread at most.
 */
export const CANARY_FIELDS = ["kind", "intendedNs", "writtenNs", "readNs"] as const;

/** Numbers in a row. */
export const CANARY_FIELD_COUNT = CANARY_FIELDS.length;
