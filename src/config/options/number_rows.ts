/** Ranges that several options share. */

/** A number of things. */
export const COUNT = {
  kind: "number",
  value: "count",
  min: 1,
  max: 2_000_000_000,
  integer: true,
} as const;

/** Requests in flight: more sockets than any machine has. */
export const IN_FLIGHT = { ...COUNT, unit: "requests", max: 1_000_000 } as const;

/** A length in tokens: more than any model takes. */
export const TOKENS = { ...COUNT, value: "tokens", unit: "tokens", max: 10_000_000 } as const;

/** A deviation from a length in tokens, also a fraction of one. */
export const TOKEN_SPREAD = { kind: "number", unit: "tokens", min: 0, max: 10_000_000 } as const;

/** A share of something that may be more than the whole. */
export const PERCENT = { kind: "number", unit: "percent", min: 0, max: 1_000_000 } as const;

/** A time of at most about thirty years. */
export const SECONDS = { kind: "duration", unit: "seconds", min: 0, max: 1_000_000_000 } as const;

/** A time that may be without end. */
export const SECONDS_OR_INF = { ...SECONDS, unlimited: true } as const;

/** A timeout of the scraping. */
export const SCRAPE_TIMEOUT = { ...SECONDS, exclusive: true, max: 3600 } as const;

/** Requests per second; infinity is as fast as they can be sent. */
export const RATE = {
  kind: "rate",
  value: "rate",
  unit: "requests per second",
  min: 0,
  max: 1_000_000,
  exclusive: true,
  unlimited: true,
} as const;

/** A start of random numbers. */
export const SEED = {
  kind: "number",
  value: "seed",
  min: 0,
  max: Number.MAX_SAFE_INTEGER,
  integer: true,
} as const;
