import {
  exchangeNs,
  receivingNs,
  sendingNs,
  waitingNs,
} from "../../../measurement/metrics/record_metrics.ts";
import type { RequestRecord } from "../../../measurement/metrics/request_record.ts";

/**
 * The `trace_data` of a record: AIPerf's keys as far as they are known, and what it has no key for.
 * @param baseEpochNs the start of the run's clock, nanoseconds since 1970
 */
export function traceData(record: RequestRecord, baseEpochNs: bigint): string {
  const at = (ns: number): string | undefined =>
    Number.isNaN(ns) ? undefined : String(baseEpochNs + BigInt(ns));
  const span = (ns: number): string | undefined => Number.isNaN(ns) ? undefined : String(ns);
  // Only a socket counts them.
  const count = (count: number): string | undefined => count > 0 ? String(count) : undefined;
  const [connectStartNs, connectEndNs] = connectTimes(record);
  const entries: [string, string | undefined][] = [
    ["trace_type", `"inferometer"`],
    ["request_send_start_ns", at(record.sendStartNs)],
    ["request_send_end_ns", at(record.sendEndNs)],
    ["request_chunks_count", count(record.writes)],
    ["request_bytes_total", String(record.bytesSent)],
    ["response_status_code", record.status > 0 ? String(record.status) : undefined],
    ["response_headers_received_ns", at(record.headNs)],
    ["response_receive_start_ns", at(record.firstBodyNs)],
    ["response_receive_end_ns", at(record.lastBodyNs)],
    ["response_chunks_count", count(record.reads)],
    ["response_bytes_total", String(record.bytesReceived)],
    ["tcp_connect_start_ns", at(connectStartNs)],
    ["tcp_connect_end_ns", at(connectEndNs)],
    ["connection_reused_ns", record.reused === 1 ? at(record.startNs) : undefined],
    ["sending_ns", span(sendingNs(record))],
    ["waiting_ns", span(waitingNs(record))],
    ["receiving_ns", Number.isNaN(record.firstBodyNs) ? undefined : span(receivingNs(record))],
    ["duration_ns", span(exchangeNs(record))],
    ["blocked_ns", span(record.blockedNs)],
    ["dns_lookup_ns", span(record.dnsNs)],
    ["connecting_ns", span(record.connectingNs)],
    ["tls_handshake_ns", span(record.tlsNs)],
    ["connection_reused", String(record.reused === 1)],
    ["request_retried", String(record.retried === 1)],
    ["coalesced_chunks", String(record.coalescedChunks)],
  ];
  const written = entries.filter(([, value]) => value !== undefined);
  return `{${written.map(([name, value]) => `"${name}":${value}`).join(",")}}`;
}

/** When the connection was opened; NaN if that was not part of the request. */
function connectTimes(record: RequestRecord): [startNs: number, endNs: number] {
  const startNs = record.startNs + record.blockedNs;
  const endNs = startNs + record.connectingNs;
  // One that was opened ahead cost more than the request had until it was sent.
  return record.connectingNs > 0 && endNs <= record.sendStartNs ? [startNs, endNs] : [NaN, NaN];
}
