/**
 * Measurements from which the diagnosis of a run follows. Undefined means unknown, and satisfies no
 * condition. Means are over the window that is shown; times are in ms, shares from 0 to 1.
 */
export interface Evidence {
  readonly loop?: "closed" | "open" | undefined;
  /** Whether the load varies on purpose, so that no steady state is to be expected. */
  readonly isVarying?: boolean | undefined;
  /** Whether the evidence concerns only a slice of a run. */
  readonly isSlice?: boolean | undefined;
  /** Requests that were sent, and how they ended. */
  readonly sent?: number | undefined;
  readonly succeeded?: number | undefined;
  readonly failed?: number | undefined;
  /** Most frequent failure, as `429 Too Many Requests`. */
  readonly topError?: string | undefined;
  /** Arrivals that were never sent. */
  readonly unsent?: number | undefined;
  /** The longest time without any byte while requests were in flight, and when it began, in seconds. */
  readonly stalledSeconds?: number | undefined;
  readonly stalledFromSeconds?: number | undefined;
  /** Whether it is in the window; true if that is not known. */
  readonly isStallShown?: boolean | undefined;
  /** Share of the median latency that the client may have added. */
  readonly clientError?: number | undefined;
  /** Share of the time that the client's threads asked for and did not get. */
  readonly clientStarved?: number | undefined;
  /** Number in flight that a closed loop asks for, and their mean. */
  readonly concurrency?: number | undefined;
  readonly inFlight?: number | undefined;
  /** Whether sessions have several turns, so that slots are free between two turns on purpose. */
  readonly hasTurns?: boolean | undefined;
  /** Requests per second of an open loop. */
  readonly offeredPerSecond?: number | undefined;
  readonly servedPerSecond?: number | undefined;
  /** Growth of the backlog in requests per second, and its lower 95 % bound. */
  readonly backlogPerSecond?: number | undefined;
  readonly backlogPerSecondLower?: number | undefined;
  /** Length of the steady state, and the requests that start in it; undefined if there is none. */
  readonly steadySeconds?: number | undefined;
  readonly steadyRequests?: number | undefined;
  /** Mean times of requests by the client's clock. */
  readonly latencyMs?: number | undefined;
  readonly ttftMs?: number | undefined;
  readonly decodeMs?: number | undefined;
  /** Mean times of requests by the server's clock. */
  readonly queueMs?: number | undefined;
  readonly prefillMs?: number | undefined;
  /** Parts of `ttftMs` by name, which add up to it; undefined if it cannot be split. */
  readonly ttftParts?: Readonly<Record<string, number>> | undefined;
  /** Whether different servers prefill and decode. */
  readonly isPair?: boolean | undefined;
  /** Pool of a pair that requests wait for while the other one has none waiting; and their mean number. */
  readonly waitedPool?: "prefill" | "decode" | undefined;
  readonly poolWaiting?: number | undefined;
  /** Share of draft tokens that were accepted, tokens of a step with a draft, and of any step. */
  readonly acceptanceRate?: number | undefined;
  readonly acceptanceLength?: number | undefined;
  readonly tokensPerStep?: number | undefined;
  /** Requests that run and wait on the server: means, and the most. */
  readonly running?: number | undefined;
  readonly runningMax?: number | undefined;
  readonly waiting?: number | undefined;
  readonly waitingMax?: number | undefined;
  /** Largest KV cache utilization of any instance. */
  readonly kvMax?: number | undefined;
  readonly preemptions?: number | undefined;
  /** Share of prompt tokens that came from the prefix cache. */
  readonly cachedShare?: number | undefined;
  /** Mean prompt tokens. */
  readonly promptTokens?: number | undefined;
  /** Mean time between tokens, and that of a load of one of the same sweep. */
  readonly itlMs?: number | undefined;
  readonly itlAloneMs?: number | undefined;
}
