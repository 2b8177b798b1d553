/**
 * Kinds of canaries. A canary is a small message that a thread of this program writes at a known
 * time, on a loopback connection that a load worker reads among its real streams. Its read delay is
 * the read delay of a real chunk at that time.
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
  /** Not a canary: an interval in which a load worker stalled. */
  "stall",
  /** Not a canary: a canary had a longer read delay than event-loop iterations allow. */
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
 * Numbers of a row, in nanoseconds of the run's clock. They are the kind, the intended time (the
 * start of a stall), the write time, and the time at which a load worker had read the canary (the
 * end of a stall). For a contradiction, the second number is the write time of the canary, the
 * third the earliest time since when it was assumed to wait in the socket buffer.
 */
export const CANARY_FIELDS = ["kind", "intendedNs", "writtenNs", "readNs"] as const;

/** Numbers in a row. */
export const CANARY_FIELD_COUNT = CANARY_FIELDS.length;
