import assert from "node:assert/strict";
import { UsageError } from "../../../../src/config/options/usage_error.ts";
import { resolveRateSeries } from "../../../../src/config/plan/load/resolve_rate_series.ts";
import { withFolder } from "../../../support/artifacts.ts";

const POINTS = [{ seconds: 0, ratePerSecond: 5 }, { seconds: 2.5, ratePerSecond: 20 }];

Deno.test("resolveRateSeries takes points and objects of them, inline and from files", async () => {
  const list = '[{"time_s":0,"qps":5},{"time_s":2.5,"qps":20}]';
  assert.deepEqual(await resolveRateSeries(list), POINTS);
  assert.deepEqual(await resolveRateSeries(` {"points": ${list}}`), POINTS);
  await withFolder(async (folder) => {
    await Deno.writeTextFile(`${folder}/rates.json`, `${list}\n`);
    assert.deepEqual(await resolveRateSeries(`${folder}/rates.json`), POINTS);
  });
});

Deno.test("resolveRateSeries says where it cannot use what", async () => {
  const refused: readonly [text: string, message: RegExp][] = [
    ['[{"time_s":0,"qps":5}]', /^--request-rate-series: column 1: At least two points are needed$/],
    [
      '[{"time_s":0,"qps":5},{"time_s":0,"qps":6}]',
      /column 33: time_s must ascend: got 0 after 0$/,
    ],
    ['[{"time_s":0,"qps":5},{"time_s":1,"qps":-6}]', /column 41: qps: /],
    ['[{"time_s":0,"qps":5},{"time_s":1,"rate":6}]', /column \d+: /],
    ['[{"time_s":0', /column \d+: /],
    ['{"points": 3}', /column \d+: /],
  ];
  for (const [text, message] of refused) {
    await assert.rejects(() => resolveRateSeries(text), (error) => {
      assert.ok(error instanceof UsageError, String(error));
      assert.match(error.message, message);
      assert.ok(!error.message.includes("\n"));
      return true;
    });
  }
  await withFolder(async (folder) => {
    const path = `${folder}/rates.json`;
    await Deno.writeTextFile(path, '[\n  {"time_s":0,"qps":5},\n  {"time_s":1,"qps":0}\n]\n');
    await assert.rejects(
      () => resolveRateSeries(path),
      (error: Error) => error.message.includes(`${path}:3:21: qps: `),
    );
  });
});
