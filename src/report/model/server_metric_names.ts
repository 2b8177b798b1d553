import { SERVER_KINDS } from "../../telemetry/engines/server_kinds.ts";

/** Every metric that the table of servers names, whichever server it is of. */
export const KNOWN_SERVER_METRICS: readonly string[] = [
  ...new Set(SERVER_KINDS.flatMap(({ keyMetrics, brief, keyShares, counterparts }) => [
    ...keyMetrics.map(({ name }) => name),
    ...brief.flatMap(({ metrics }) => metrics),
    ...keyShares.flatMap(({ part, whole }) => [...part, ...whole]),
    ...counterparts.requests,
    ...counterparts.promptTokens.flat(),
    ...counterparts.generationTokens,
    ...[...counterparts.ttft, ...counterparts.itl, ...counterparts.latency],
  ])),
];

/**
 * Whether a server of these metrics counts what it has served, be it nothing: then it shows all of
 * its metrics, also before its first request.
 */
export function showsAllMetrics(names: Iterable<string>): boolean {
  const all = new Set(names);
  return SERVER_KINDS.some(({ counterparts: { requests, generationTokens } }) =>
    [...requests, ...generationTokens].some((name) => all.has(name))
  );
}
