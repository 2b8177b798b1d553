/** How the target answers. */
export interface Replies {
  readonly ttftMs: number;
  readonly itlMs: number;
  /** Standard deviation of the TTFT as a share of it. */
  readonly ttftCv?: number;
  /** The same of the ITL. */
  readonly itlCv?: number;
  readonly eventsPerWrite?: number;
}

/** Circumstances under which the client measures. */
export interface Condition {
  readonly name: string;
  readonly replies: Replies;
  /** Requests in flight; undefined in an open loop. */
  readonly streams?: number;
  /** Requests per second, in an open loop. */
  readonly rate?: number;
  /** Events with content in each reply. */
  readonly tokens: number;
  /** Time in which requests are sent. */
  readonly seconds: number;
  /** Requests to send, if fewer than fit into the time. */
  readonly requests?: number;
  /** Processes beside it that do nothing but compute. */
  readonly burners: number;
  /** So long the client process stands still, from {@linkcode STOP_AFTER_MS} on; 0 for never. */
  readonly stopMs: number;
  /** Whether a connection is opened for each request. */
  readonly reconnects: boolean;
  readonly tls: boolean;
  /** Samples of a metrics page that is scraped ten times a second; 0 for no server metrics. */
  readonly metricsSamples: number;
  /** Further options of the client. */
  readonly options: readonly string[];
}

/** A client is stopped so long after its first request. */
export const STOP_AFTER_MS = 1000;

const STREAMS = [1, 16, 100, 400] as const;
const BURNERS = [0, 1, 3] as const;
const STOPS_MS = [200, 2000] as const;
const SECONDS = 3;

const ZERO: Replies = { ttftMs: 0, itlMs: 0 };
const REAL: Replies = { ttftMs: 50, itlMs: 5 };
const JITTERED: Replies = { ...REAL, ttftCv: 0.3, itlCv: 0.2 };
const PACES = { zero: ZERO, real: REAL, jitter: JITTERED } as const;

function condition(
  name: string,
  replies: Replies,
  streams: number | undefined,
  rest: Partial<Condition> = {},
): Condition {
  return {
    name,
    replies,
    ...(streams === undefined ? {} : { streams }),
    // A single stream makes enough requests only if they are short.
    tokens: streams === 1 ? 20 : 100,
    seconds: SECONDS,
    burners: 0,
    stopMs: 0,
    reconnects: false,
    tls: false,
    metricsSamples: 0,
    options: [],
    ...rest,
  };
}

/** With every number of streams and burners. */
const CLOSED_LOOPS = Object.entries(PACES).flatMap(([pace, replies]) =>
  STREAMS.flatMap((streams) =>
    BURNERS.map((burners) =>
      condition(`${pace}-${streams}-burners${burners}`, replies, streams, { burners })
    )
  )
);

const STOPPED = STOPS_MS.flatMap((stopMs) => {
  const rest = { stopMs, seconds: SECONDS + stopMs / 1000 };
  return [
    ...STREAMS.map((streams) => condition(`real-${streams}-stop${stopMs}`, REAL, streams, rest)),
    ...[16, 100].map((streams) => condition(`zero-${streams}-stop${stopMs}`, ZERO, streams, rest)),
    condition(`open-200-stop${stopMs}`, REAL, undefined, { ...rest, rate: 200 }),
  ];
});

const OPEN_LOOPS = [50, 200, 1000].flatMap((rate) =>
  [0, 1].map((burners) =>
    condition(`open-${rate}-burners${burners}`, REAL, undefined, {
      rate,
      burners,
      tokens: rate === 1000 ? 20 : 100,
    })
  )
);

const RECONNECTING = [
  condition("reconnect-16", REAL, 16, { reconnects: true, tokens: 20 }),
  condition("reconnect-100", REAL, 100, { reconnects: true, tokens: 20 }),
  condition("reconnect-400", REAL, 400, { reconnects: true }),
  condition("reconnect-zero-100", ZERO, 100, { reconnects: true, tokens: 20 }),
  condition("reconnect-open-200", REAL, undefined, { reconnects: true, rate: 200, tokens: 20 }),
];

const TLS = [
  condition("tls-1", REAL, 1, { tls: true }),
  condition("tls-16", REAL, 16, { tls: true }),
  condition("tls-100", REAL, 100, { tls: true }),
  condition("tls-100-burners1", REAL, 100, { tls: true, burners: 1 }),
  condition("tls-zero-16", ZERO, 16, { tls: true }),
  condition("tls-reconnect-16", REAL, 16, { tls: true, reconnects: true, tokens: 20 }),
  condition("tls-16-stop200", REAL, 16, { tls: true, stopMs: 200 }),
];

/** Whatever happens besides reading: many records and bytes to write, large metrics pages. */
const BUSY_RESULTS = [
  condition("raw-zero-100", ZERO, 100, {
    tokens: 8,
    options: ["--export-level", "raw", "--export-http-trace", "--slice-duration", "0.25"],
  }),
  condition("raw-real-100", REAL, 100, { tokens: 20, options: ["--export-level", "raw"] }),
  condition("series-real-16", REAL, 16, { metricsSamples: 8000 }),
  condition("series-real-100", REAL, 100, { metricsSamples: 8000 }),
];

const OTHERS = [
  condition("real-1-one-request", REAL, 1, { requests: 1 }),
  condition("real-4-ten-requests", REAL, 4, { requests: 10 }),
  condition("slow-100", { ttftMs: 500, itlMs: 20, ttftCv: 0.5 }, 100, { tokens: 20 }),
  condition("writes-of-10-zero-100", { ...ZERO, eventsPerWrite: 10 }, 100),
  condition("writes-of-5-real-100", { ...REAL, eventsPerWrite: 5 }, 100),
  condition("workers-4-real-400", REAL, 400, { options: ["--workers", "4"] }),
];

/** The conditions, all of them. */
export const CONDITIONS: readonly Condition[] = [
  ...CLOSED_LOOPS,
  ...STOPPED,
  ...OPEN_LOOPS,
  ...RECONNECTING,
  ...TLS,
  ...BUSY_RESULTS,
  ...OTHERS,
];
