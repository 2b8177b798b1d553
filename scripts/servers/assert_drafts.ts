/** Speculative decoding: the program's values against servers' counters and replies. */

import assert from "node:assert/strict";
import { assertValues } from "./assert_values.ts";
import type { PageCounter } from "./page_counters.ts";

/** Beginning of the metrics of servers that count drafts. */
const PREFIXES = ["vllm:", "llamacpp:"];

/**
 * Asserts what the program reports of drafts. Steps and tokens that were accepted and not sent are
 * known only of servers that count steps.
 * @param truth `server_truth` of the run
 * @param grown counters over the run
 * @param lines records of requests, as JSON
 */
export function assertDrafts(
  truth: { readonly speculation: Readonly<Record<string, unknown>> },
  grown: PageCounter,
  lines: readonly string[],
): void {
  const total = (name: string, ...labels: readonly string[]): number =>
    PREFIXES.reduce((sum, prefix) => sum + grown(`${prefix}${name}_total`, ...labels), 0);
  const [drafts, drafted, accepted] = ["drafts", "draft_tokens", "accepted_tokens"]
    .map((name) => total(`spec_decode_num_${name}`)) as [number, number, number];
  assert.ok(drafts > 0 && drafted > 0, "the server had no drafts");
  const steps = grown("vllm:inter_token_latency_seconds_count");
  const decoded = total("generation_tokens") - grown("vllm:request_success_total");
  const isStepwise = steps > 0;
  assertValues(truth.speculation, {
    "acceptance_rate": accepted / drafted,
    "acceptance_length": 1 + accepted / drafts,
    "tokens_per_step": isStepwise ? decoded / steps : null,
    "drafted_share": isStepwise ? drafts / steps : null,
    "accepted_not_sent": isStepwise ? accepted - (decoded - steps) : null,
  });
  assertPositions(
    truth.speculation["per_position"] as number[],
    (position) =>
      total("spec_decode_num_accepted_tokens_per_pos", `position="${position}"`) / drafts,
  );
  const replied = lines.map((line) => {
    const { metrics } = JSON.parse(line);
    const value = (name: string): number => metrics[name]?.value ?? 0;
    return {
      drafts: value("reported_drafts"),
      drafted: value("reported_draft_tokens"),
      accepted: value("reported_accepted_tokens"),
    };
  });
  const sum = (of: (reply: typeof replied[number]) => number): number =>
    replied.reduce((sum, reply) => sum + of(reply), 0);
  assert.equal(sum((reply) => reply.drafted), drafted, "draft tokens in replies");
  assert.equal(sum((reply) => reply.accepted), accepted, "accepted tokens in replies");
  const some = replied.filter((reply) => reply.drafted > 0);
  const mean = (of: (reply: typeof replied[number]) => number): number =>
    some.reduce((sum, reply) => sum + of(reply), 0) / some.length;
  assertValues(truth.speculation, {
    "acceptance_rate_request_mean": mean((reply) => reply.accepted / reply.drafted),
    "acceptance_length_request_mean": sum((reply) => reply.drafts) === 0
      ? null
      : mean((reply) => 1 + reply.accepted / reply.drafts),
    "requests_with_drafts": some.length,
    "requests_without_drafts": replied.length - some.length,
  });
}

function assertPositions(found: readonly number[], expected: (position: number) => number): void {
  assert.ok(found.length > 0, "no acceptance by position");
  assertValues({ ...found }, Object.fromEntries(found.map((_, at) => [`${at}`, expected(at)])));
}
