import assert from "node:assert/strict";
import { exposition } from "../../../src/report/live/exposition.ts";
import { parseExposition } from "../../../src/telemetry/prometheus/parse_exposition.ts";
import { liveModel } from "../../support/live_models.ts";

const NAME = 'quote " backslash \\ line\nend {}';

Deno.test("exposition is text that a strict reader takes", () => {
  const { load } = liveModel();
  for (
    const model of [
      liveModel({ model: NAME }),
      liveModel({ load: { ...load, loop: "open", concurrency: Infinity, ratePerSecond: 5 } }),
    ]
  ) {
    const { families, errors } = parseExposition(exposition(model), { strict: true });
    assert.deepEqual(errors, []);
    for (const { name, help } of families) {
      assert.match(name, /^inferometer_[a-z_]+$/);
      assert.ok(help, name);
    }
  }
  const escaped = exposition(liveModel({ model: NAME }));
  assert.ok(escaped.includes('model="quote \\" backslash \\\\ line\\nend {}"'), escaped);
});

Deno.test("exposition gives the numbers of the model, histograms cumulative", () => {
  const lines = new Set(exposition(liveModel()).split("\n"));
  for (
    const line of [
      'inferometer_requests_total{phase="profiling",outcome="succeeded"} 72',
      'inferometer_requests_total{phase="profiling",outcome="failed"} 2',
      'inferometer_errors_total{phase="profiling",kind="http_status"} 2',
      "inferometer_requests_in_flight 16",
      "inferometer_concurrency_limit 16",
      "inferometer_load_paused 0",
      'inferometer_output_tokens_total{phase="profiling"} 8000',
      'inferometer_time_to_first_token_seconds_bucket{phase="profiling",le="0.05"} 3',
      'inferometer_time_to_first_token_seconds_bucket{phase="profiling",le="0.1"} 7',
      'inferometer_time_to_first_token_seconds_bucket{phase="profiling",le="+Inf"} 8',
      'inferometer_time_to_first_token_seconds_sum{phase="profiling"} 0.6',
      'inferometer_time_to_first_token_seconds_count{phase="profiling"} 8',
      'inferometer_worker_requests_in_flight{worker="1"} 8',
      "inferometer_cpu_stolen_ratio 0.002",
    ]
  ) assert.ok(lines.has(line), line);
});

Deno.test("exposition has the sessions in progress where they have several requests", () => {
  const sessions = { inProgress: 5, begun: 9, planned: Infinity, isRateOfSessions: false };
  assert.match(exposition(liveModel({ sessions })), /^inferometer_sessions_in_progress 5$/m);
  assert.doesNotMatch(exposition(liveModel()), /sessions_in_progress/);
});

Deno.test("exposition leaves out what is not known", () => {
  const text = exposition(liveModel({ stolenShare: NaN }));
  assert.ok(!text.includes("NaN"), text);
  assert.ok(!text.includes("cpu_stolen"), text);
  assert.ok(!text.includes("request_rate_target"), "a closed loop has none");
});
