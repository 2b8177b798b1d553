/** Runs against a server with speculative decoding: its counters, its replies, and all results agree. */

import assert from "node:assert/strict";
import { withFolder } from "../support/artifacts.ts";
import { startLocalMock } from "../support/local_mock.ts";
import { runCli } from "../support/run_cli.ts";

const REQUESTS = 40;
const TOKENS = 30;

// deno-lint-ignore no-explicit-any -- what a reader of the file sees
type Json = any;

function profileArgs(url: string, folder: string, args: readonly string[]): string[] {
  return [
    ...["profile", "--url", url, "--model", "mock-model", "--streaming", "--isl", "20"],
    ...["--osl", String(TOKENS), "--request-count", String(REQUESTS), "--artifact-dir", folder],
    ...["--server-metrics-interval", "50ms", "--server-metrics-flush-period", "0.2", ...args],
  ];
}

function close(actual: number, expected: number, what: string): void {
  assert(Math.abs(actual - expected) < 1e-9, `${what}: ${actual} instead of ${expected}`);
}

Deno.test("acceptance of drafts is that of the server's counters, and of its replies", () =>
  withFolder(async (folder) => {
    using mock = await startLocalMock([
      ...["--ttft", "15", "--itl", "3", "--draft-tokens", "3", "--draft-acceptance", "0.6"],
    ]);
    const args = profileArgs(mock.url, folder, ["--concurrency", "4"]);
    const { code, stderr, stdout } = await runCli(args);
    assert.equal(code, 0, stderr);
    const page = await (await fetch(`${mock.url}/metrics`)).text();
    const counted = (name: string, labels = ".*"): number =>
      Number(new RegExp(`^vllm:${name}{${labels}} (.*)$`, "m").exec(page)?.[1]);
    const drafts = counted("spec_decode_num_drafts_total");
    const accepted = counted("spec_decode_num_accepted_tokens_total");
    const steps = counted("inter_token_latency_seconds_count");
    assert(drafts > REQUESTS && accepted > REQUESTS);

    const summary = JSON.parse(await Deno.readTextFile(`${folder}/profile_export_aiperf.json`));
    const { speculation, ttft_split_ms: split } = summary["server_truth"];
    close(
      speculation.acceptance_rate,
      accepted / counted("spec_decode_num_draft_tokens_total"),
      "rate",
    );
    close(speculation.acceptance_length, 1 + accepted / drafts, "length");
    close(speculation.tokens_per_step, REQUESTS * (TOKENS - 1) / steps, "tokens per step");
    assert.equal(speculation.accepted_not_sent, accepted - (REQUESTS * (TOKENS - 1) - steps));
    for (const position of [0, 1, 2]) {
      const at = counted("spec_decode_num_accepted_tokens_per_pos_total", `.*"${position}"`);
      close(speculation.per_position[position], at / drafts, `position ${position}`);
    }

    const lines = (await Deno.readTextFile(`${folder}/profile_export.jsonl`)).trim().split("\n");
    const records: Json[] = lines.map((line) => JSON.parse(line)["metrics"]);
    const sum = (name: string): number =>
      records.reduce((sum, metrics) => sum + metrics[name].value, 0);
    assert.equal(sum("reported_drafts"), drafts);
    assert.equal(sum("reported_accepted_tokens"), accepted);
    close(
      speculation.acceptance_rate_request_mean,
      sum("reported_acceptance_rate") / REQUESTS,
      "mean of requests",
    );

    const parts = Object.values(split as Record<string, number | null>);
    const ttftMs = parts.reduce((sum: number, ms) => sum + (ms ?? 0), 0);
    assert(Math.abs(ttftMs - summary["time_to_first_token"].avg) < 1e-6, "parts of TTFT add up");

    assert.match(stdout, /^spec {4}accepted \S+ % +acceptance length/m);
    assert.match(stdout.replaceAll("\n  ", " "), /generated prompts without a temperature/);
    assert.match(stdout, /^agree {3}.*time per token/m);
    const html = await Deno.readTextFile(`${folder}/report.html`);
    assert.match(html, /% of TTFT is /);
    assert.match(html, /speculative decoding<\/th><td[^>]*>accepted /);
  }));

Deno.test("a sweep has the acceptance of drafts at each load", () =>
  withFolder(async (folder) => {
    using mock = await startLocalMock(["--draft-tokens", "2", "--draft-acceptance", "0.5"]);
    const args = profileArgs(mock.url, folder, ["--concurrency", "1,4"]);
    const { code, stderr } = await runCli(args);
    assert.equal(code, 0, stderr);
    const { points } = JSON.parse(await Deno.readTextFile(`${folder}/sweep_export.json`));
    assert.equal(points.length, 2);
    for (const { folders, speculation } of points as Json[]) {
      const run = `${folder}/${folders[0]}/profile_export_aiperf.json`;
      const truth = JSON.parse(await Deno.readTextFile(run))["server_truth"].speculation;
      close(speculation.acceptance_rate, truth.acceptance_rate, folders[0]);
    }
    assert.match(await Deno.readTextFile(`${folder}/sweep.html`), /accepted %.*acceptance length/s);
  }));
