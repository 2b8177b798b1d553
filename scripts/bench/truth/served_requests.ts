/** Times at which a load target wrote a reply. */
export interface ServedTimes {
  /** What the client sent as X-Request-ID; may be empty. */
  readonly requestId: string;
  /** Nanoseconds since 1970. */
  readonly arrivalNs: bigint;
  /** Nanoseconds from the arrival to each write that held content. */
  readonly writesNs: Float64Array;
}

/**
 * Reads what a load target tells at `/mock/truth`: a line for each request, with its X-Request-ID and
 * nanoseconds since 1970 of its arrival, of the start of its service, and of each write of content.
 * @throws {SyntaxError} if a line is none of these
 */
export function parseServedTimes(text: string): ServedTimes[] {
  const served: ServedTimes[] = [];
  for (const line of text.split("\n")) {
    if (line === "") continue;
    const [requestId, arrival, start, ...writes] = line.split(" ");
    if (requestId === undefined || !isTime(arrival) || !isTime(start) || !writes.every(isTime)) {
      throw new SyntaxError(`Not the times of a request: ${line.slice(0, 100)}`);
    }
    const arrivalNs = BigInt(arrival);
    const writesNs = Float64Array.from(writes, (write) => Number(BigInt(write) - arrivalNs));
    served.push({ requestId, arrivalNs, writesNs });
  }
  return served;
}

/**
 * The requests of {@linkcode parseServedTimes} by their ids; of one that was sent twice the one that
 * was answered last counts.
 */
export function parseServedRequests(text: string): Map<string, ServedTimes> {
  const served = new Map<string, ServedTimes>();
  for (const times of parseServedTimes(text)) {
    const { requestId, writesNs } = times;
    if (writesNs.length > 0 || !served.has(requestId)) served.set(requestId, times);
  }
  return served;
}

function isTime(text: string | undefined): text is string {
  return text !== undefined && /^\d+$/.test(text);
}
