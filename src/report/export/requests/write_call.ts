import { GAP_CLASSES } from "../../../core/session_graph/session_graph.ts";
import type { PayloadPlace } from "../../../load/dataset/payloads/payload_table.ts";
import type { RequestRecord } from "../../../measurement/metrics/request_record.ts";
import { wholeBlocks } from "../../../measurement/metrics/session_times.ts";
import type { JsonBytes } from "../json_bytes.ts";

/** Numbers of milliseconds are written to the nanosecond. */
const NS_PER_MS = 1e6;

/**
 * Writes the facts of a request as a call of its session, each after a comma. Times are milliseconds:
 * `due` since 1970, `wait` from then to its start, `gap` from the event that it
 * waited for last until it was due.
 * @param options `baseEpochNs`: start of the run's clock; `blockTokens`: tokens of a cache block
 */
export function writeCall(
  out: JsonBytes,
  record: RequestRecord,
  { table, entry }: PayloadPlace,
  { baseEpochNs, blockTokens }: { readonly baseEpochNs: bigint; readonly blockTokens: number },
): void {
  const graph = table.data.conversations?.graph;
  const { turn } = record;
  const first = entry - turn;
  const names = (numbers: readonly number[]): string =>
    JSON.stringify(numbers.map((number) => graph?.ids[first + number] ?? number));
  out.text(',"session":');
  out.number(record.session);
  out.text(',"call":');
  if (graph === undefined) out.number(turn);
  else out.string(graph.ids[entry] ?? "");
  out.text(',"agent":');
  out.string(graph?.agents[entry] ?? "main");
  out.text(',"depth":');
  out.number(graph?.depth[entry] ?? 0);
  out.text(',"kind":');
  out.string(graph?.agentKinds[entry] ?? "main");
  const after = graph === undefined ? turn > 0 ? [turn - 1] : [] : [
    ...new Set(graph.edgeFrom.subarray(graph.edgeStart[entry], graph.edgeStart[entry + 1])),
  ];
  out.text(`,"after":${names(after)}`);
  writeCount(out, "due", Number(baseEpochNs) / NS_PER_MS + record.intendedNs / NS_PER_MS);
  writeMs(out, "wait", record.startNs - record.intendedNs);
  writeMs(out, "gap", record.gapNs);
  const gapClass = GAP_CLASSES[record.gapClass];
  out.text(gapClass === undefined ? ',"gap_class":null' : `,"gap_class":"${gapClass}"`);
  const ideal = wholeBlocks(record.sharedTokens, blockTokens);
  writeCount(out, "tokens_new", record.inputTokens - ideal);
  writeCount(out, "tokens_cached_ideal", ideal);
  writeCount(out, "tokens_cached_server", record.cachedTokens);
  out.text(record.isReset === 1 ? ',"reset":true' : ',"reset":false');
  out.text(record.diverged === 1 ? ',"diverged":true' : ',"diverged":false');
}

function writeMs(out: JsonBytes, name: string, ns: number): void {
  writeCount(out, name, Math.round(ns) / NS_PER_MS);
}

function writeCount(out: JsonBytes, name: string, value: number): void {
  out.text(`,"${name}":`);
  if (Number.isFinite(value)) out.number(value);
  else out.text("null");
}
