import type { RequestTimes } from "./last_factor.ts";

/** So many of some requests are many. */
const MANY_SHARE = 0.25;

/** The requests of a run that began before their thread had read anything of a reply. */
export interface FirstWave {
  /** When each thread did: the first first chunk, or reply in one piece. */
  readonly readNs: ReadonlyMap<number, number>;
  /** How many requests that are. */
  readonly count: number;
}

/** Finds the first wave of all requests of a run. */
export function firstWave(requests: RequestTimes): FirstWave {
  const { endNs, startNs, ttftMs, workers } = requests;
  const readNs = new Map<number, number>();
  for (let row = 0; row < startNs.length; row++) {
    const ttft = ttftMs?.[row] ?? NaN;
    const ns = Number.isNaN(ttft) ? endNs[row] as number : (startNs[row] as number) + ttft * 1e6;
    const worker = workers[row] as number;
    if (ns < (readNs.get(worker) ?? Infinity)) readNs.set(worker, ns);
  }
  return { readNs, count: countOf(startNs.keys(), requests, readNs) };
}

/** Whether many requests of some rows are of the first wave. */
export function areOfFirstWave(
  rows: Uint32Array,
  requests: RequestTimes,
  { count, readNs }: FirstWave,
): boolean {
  const many = rows.length * MANY_SHARE;
  return count >= many && countOf(rows, requests, readNs) >= many;
}

function countOf(
  rows: Iterable<number>,
  { startNs, workers }: Pick<RequestTimes, "startNs" | "workers">,
  readNs: ReadonlyMap<number, number>,
): number {
  let count = 0;
  for (const row of rows) {
    if ((startNs[row] as number) < (readNs.get(workers[row] as number) ?? -Infinity)) count++;
  }
  return count;
}
