import { figuresOf, type MetricResults } from "../../measurement/metrics/metric_results.ts";
import type { MetricTag } from "../../measurement/metrics/metric_tag.ts";
import { compactTable } from "./compact_table.ts";
import { significantText } from "./number_text.ts";

const STATISTICS = ["avg", "p50", "p90", "p95", "p99", "max"] as const;
const DISPENSABLE = ["p95", "p90", "max"];

/** Phases of a request, in their order. */
const TRACE_ROWS: readonly {
  readonly tag: MetricTag;
  readonly label: string;
  readonly unit: string;
}[] = [
  { tag: "http_req_blocked", label: "blocked", unit: "ms" },
  { tag: "http_req_dns_lookup", label: "DNS lookup", unit: "ms" },
  { tag: "http_req_connecting", label: "connecting", unit: "ms" },
  { tag: "http_req_tls_handshaking", label: "TLS", unit: "ms" },
  { tag: "http_req_sending", label: "sending", unit: "ms" },
  { tag: "http_req_waiting", label: "waiting", unit: "ms" },
  { tag: "http_req_receiving", label: "receiving", unit: "ms" },
  { tag: "http_req_duration", label: "duration", unit: "ms" },
  { tag: "http_req_total", label: "total", unit: "ms" },
  { tag: "http_req_data_sent", label: "sent", unit: "KB" },
  { tag: "http_req_data_received", label: "received", unit: "KB" },
  { tag: "http_req_connection_reused", label: "reused", unit: "" },
];

/** The phases of requests; no line if none was measured. */
export function traceTable(results: MetricResults, width: number): string[] {
  const rows = TRACE_ROWS.flatMap(({ label, tag, unit }) => {
    const result = results.get(tag);
    if (result === undefined) return [];
    const figures = figuresOf(result);
    const cells = STATISTICS.map((name) => {
      const figure = figures[name];
      return figure === undefined ? "" : significantText(Number(figure));
    });
    return [{ label, unit, cells }];
  });
  if (rows.length === 0) return [];
  return compactTable(
    { title: "HTTP", columns: STATISTICS, rows, dispensable: DISPENSABLE },
    width,
  );
}
