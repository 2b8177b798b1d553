import assert from "node:assert/strict";
import { agreementLines } from "../../../src/report/console/agreement_lines.ts";
import type { Reconciliation } from "../../../src/report/model/profile_report.ts";
import { reportWith } from "../../support/reports.ts";

const ALL_WELL = { ...reportWith().requests, failed: 0, cancelled: 0 };

function row(
  quantity: string,
  client: number,
  server: number,
  fields: Partial<Reconciliation> = {},
): Reconciliation {
  const unit = / (avg|p\d+)$/.test(quantity) ? "ms" : quantity.split(" ").at(-1) as string;
  return { quantity, unit, client, server, estimated: false, doubt: undefined, ...fields };
}

const ESTIMATED = { estimated: true, serverBounds: [50, 100] } as const;

Deno.test("agreementLines puts what agrees into one sentence", () => {
  assert.deepEqual(
    agreementLines(
      [
        row("requests", 160, 160),
        row("prompt tokens", 32_000, 32_000, { sources: ["usage in replies", "server metrics"] }),
        row("prompt tokens", 26_225, 32_000, {
          sources: ["client's tokenizer", "usage in replies"],
        }),
        row("generation tokens", 10_240, 10_200),
        row("TTFT avg", 52, 51),
        row("TTFT p50", 104, 80, ESTIMATED),
        row("TTFT p99", 99, 80, ESTIMATED),
        row("request latency avg", 560, 556),
      ],
      { requests: ALL_WELL },
      120,
    ),
    ["agree   requests, tokens, TTFT, latency, TTFT p99 within 50-100 ms"],
  );
});

Deno.test("agreementLines has a line for each figure that differs", () => {
  assert.deepEqual(
    agreementLines(
      [
        row("requests", 160, 320, { doubt: "the server also handled requests from other clients" }),
        row("generation tokens", 10_240, 10_240),
        row("TTFT avg", 56, 51.9),
        row("TTFT p99", 111, 80, ESTIMATED),
        row("chunk gap p99", 11, 80, { estimated: true }),
        row("ITL p99", 2500, 80, { estimated: true, serverBounds: [1000, 2000] }),
      ],
      { requests: ALL_WELL },
      120,
    ),
    [
      "agree   generation tokens",
      "differ  requests: client 160, server 320 (-50.0 %): the server also handled requests from other clients",
      "        TTFT: client 56.0, server 51.9 ms (+7.9 %)",
      "        TTFT p99: client 111, server 50-100 ms",
      "        ITL p99: client 2,500, server 1,000-2,000 ms",
    ],
  );
});

Deno.test("agreementLines says where failed requests explain a difference", () => {
  const rows = [row("requests", 37, 39), row("requests", 39, 30), row("TTFT avg", 56, 51.9)];
  assert.deepEqual(agreementLines(rows, { requests: { ...ALL_WELL, failed: 2 } }, 120), [
    "differ  requests: client 37, server 39 (-5.1 %): the server also counts failed requests",
    "        requests: client 39, server 30 (+30.0 %)",
    "        TTFT: client 56.0, server 51.9 ms (+7.9 %)",
  ]);
  assert.deepEqual(agreementLines([], { requests: ALL_WELL }, 80), []);
});

Deno.test("agreementLines explains a difference by the client's own error where its bounds reach that far", () => {
  const bounds = (lower: number, upper: number) => ({
    verdict: "suspect" as const,
    reasons: [],
    metrics: new Map([[
      "inter_token_latency" as const,
      { avg: { lower, upper, verdict: "suspect" as const } },
    ]]),
  });
  const rows = [row("ITL avg", 12.7, 10.9)];
  const line = "differ  ITL: client 12.7, server 10.9 ms (+16.5 %)";
  const lines = (lower: number) =>
    agreementLines(rows, { requests: ALL_WELL, measurementError: bounds(lower, 13) }, 120);
  assert.deepEqual(lines(10.5), [`${line}: within the client's own error`]);
  assert.deepEqual(lines(11.5), [line]);
});
