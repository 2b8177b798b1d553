import assert from "node:assert/strict";
import { consoleReport } from "../../../src/report/console/console_report.ts";
import { errorVerdict } from "../../../src/report/console/error_verdict.ts";
import type { ProfileReport } from "../../../src/report/model/profile_report.ts";
import { reportWith } from "../../support/reports.ts";

type Measured = NonNullable<ProfileReport["measurementError"]>;

/** A run with a TTFT of 80 ms, an ITL of 8.33 and a latency of 113 ms on average. */
function measured(
  verdict: Measured["verdict"],
  bounds: Readonly<Record<string, Readonly<Record<string, readonly [number, number]>>>>,
  reasons: readonly string[] = [],
): ProfileReport {
  const metrics = Object.entries(bounds).map(([tag, statistics]) => [
    tag,
    Object.fromEntries(
      Object.entries(statistics).map(([name, [lower, upper]]) => [name, { lower, upper, verdict }]),
    ),
  ]);
  return reportWith({
    measurementError: { verdict, reasons, metrics: new Map(metrics as []) as Measured["metrics"] },
  });
}

const TTFT = "time_to_first_token";

Deno.test("errorVerdict names the largest shift of a valid run, rounded up", () => {
  const bounds = { [TTFT]: { "avg": [79.5, 80], "p99": [80, 80] } } as const;
  assert.equal(
    errorVerdict(measured("valid", bounds))?.text,
    "valid: the client shifted no TTFT statistic by more than 0.7 %",
  );
  assert.equal(
    errorVerdict(measured("valid", { ...bounds, "inter_token_latency": { "p50": [7.4, 7.5] } }))
      ?.text,
    "valid: the client shifted no TTFT or ITL statistic by more than 1.4 %",
  );
  assert.equal(
    errorVerdict(measured("valid", { "request_latency": { "p50": [110, 110] } }))?.text,
    "valid: the client shifted no latency statistic by more than 0.0 %",
  );
  assert.equal(errorVerdict(reportWith()), undefined, "it was not measured");
});

Deno.test("errorVerdict names the statistic that was shifted most", () => {
  const textOf = (lower: number) =>
    errorVerdict(measured("suspect", { [TTFT]: { "avg": [79, 80], "p99": [lower, 80] } }));
  assert.deepEqual(textOf(70), {
    text: "suspect: the client may have shifted TTFT p99 by up to 15 %",
    isValid: false,
  });
  assert.match(textOf(0)?.text ?? "", /TTFT p99 by any amount$/);
  assert.match(textOf(40)?.text ?? "", /TTFT p99 by up to 100 %$/);
  assert.match(textOf(0.1)?.text ?? "", /TTFT p99 by more than half of it$/);
});

Deno.test("errorVerdict does not say of a doubtful run that little was shifted", () => {
  const bounds = { [TTFT]: { "avg": [79, 80], "p99": [78, 80] } } as const;
  assert.deepEqual(errorVerdict(measured("suspect", bounds)), {
    text: "suspect: the client stood still for too long to tell that it shifted TTFT p99 by no " +
      "more than 2.6 %",
    isValid: false,
  });
});

Deno.test("reports end on the verdict of the client's error, its reasons above the last lines", () => {
  const report = measured("suspect", { [TTFT]: { "p50": [60, 80] } }, ["Too slow: buy a machine"]);
  for (const style of ["compact", "full"] as const) {
    const text = consoleReport(report, {
      ...{ style, width: 80, color: false, directory: "/runs/one", traceTiming: false },
      serverMetrics: undefined,
    });
    assert.match(text, /\nsuspect: the client may have shifted TTFT p50 by up to 34 %\n$/);
    if (style === "full") continue;
    assert.match(text, /\ncause: Too slow: buy a machine\nartifacts: /);
    assert.match(text, /^TTFT +ms +80 .* <20$/m, "the error stands beside the figures");
  }
});

for (const style of ["compact", "full"] as const) {
  Deno.test(`the ${style} report calls nothing ok beside an error that was measured`, () => {
    const drawn = (report: ProfileReport): string =>
      consoleReport(report, {
        ...{ style, width: 80, color: false, directory: "a", traceTiming: false },
        serverMetrics: undefined,
      });
    const bounds = { [TTFT]: { "p99": [40, 80] } } as const;
    assert.match(drawn(measured("valid", bounds)), /^client health: ok \(/m);
    const suspect = drawn(measured("suspect", bounds));
    assert.doesNotMatch(suspect, /client health: ok/);
    assert.match(suspect, /^client: (loop )?lag/m);
  });
}
