import assert from "node:assert/strict";
import { timelineCharts } from "../../../src/report/html/timeline_charts.ts";
import { timelinePart } from "../../../src/report/html/picture_parts.ts";
import type { LoadChange } from "../../../src/report/model/load_change.ts";
import { finishedRun, type MadeRequest, steadyRequests, viewOf } from "../../support/run_views.ts";

/** A change so many seconds after the start of the profiling phase, which begins at one second. */
function change(seconds: number, action: LoadChange["action"], value?: number): LoadChange {
  const phase = "profiling" as const;
  return { atNs: (1 + seconds) * 1e9, phase, action, ...(value === undefined ? {} : { value }) };
}

Deno.test("timelineCharts show what a person did to the load, in every row", async () => {
  const changes = [
    change(0.5, "mark", 1),
    change(1, "pause"),
    change(2, "resume"),
    change(4, "concurrency", 9),
    change(4.1, "mark", 2),
    change(8, "pause"),
  ];
  const view = viewOf(await finishedRun(steadyRequests(90), { summary: { changes } }));
  const charts = timelineCharts(view);
  assert.ok(charts.length >= 4);
  const end = charts[0]?.x.max as number;
  for (const { marks, spans } of charts) {
    assert.deepEqual(marks.map(({ label, at }) => [label, Number(at.toFixed(3))]), [
      ["mark 1", 0.5],
      // Both texts would lie on each other.
      ["9 users, mark 2", 4],
      ["", 4.1],
    ]);
    assert.deepEqual(
      spans.map(({ label, kind, from, to }) => [label, kind, from, to]),
      [["paused by hand", "phase", 1, 2], ["paused by hand", "phase", 8, end]],
    );
  }
});

Deno.test("timelineCharts hatch stolen time, and the page says what that is", async () => {
  const stolen = [
    { startNs: 2e9, endNs: 4e9, share: 0.123 },
    ...Array.from({ length: 5 }, (_, at) => (
      { startNs: (5 + at) * 1e9, endNs: (5.5 + at) * 1e9, share: 0.1 }
    )),
  ];
  const view = viewOf(await finishedRun(steadyRequests(90), { summary: { stolen } }));
  const charts = timelineCharts(view);
  assert.deepEqual(charts[0]?.spans.find(({ kind }) => kind === "stall"), {
    label: "the machine's host gave 12.3 % of its time to others",
    kind: "stall",
    from: 1,
    to: 3,
  });
  const page = timelinePart(charts);
  assert.match(
    page,
    /id="hatched">Hatched: the machine.+12\.3 % .*\(1\.0 to 3\.0 s\);.*and 2 more\./,
  );
  assert.doesNotMatch(timelinePart([]), /Hatched/);
});

Deno.test("timelineCharts keep marks that a person set where there are many steps", async () => {
  const changes = [
    ...Array.from({ length: 60 }, (_, at) => change(at / 10, "concurrency", at)),
    change(6.5, "mark", 1),
  ];
  const view = viewOf(await finishedRun(steadyRequests(90), { summary: { changes } }));
  const [first] = timelineCharts(view);
  assert.equal(first?.marks.length, 24);
  assert.match(first?.marks.map(({ label }) => label).join() ?? "", /mark 1/);
});

Deno.test("timelineCharts name the largest number in flight, not the largest mean of a bin", async () => {
  const titleOf = async (requests: Iterable<MadeRequest>): Promise<string> =>
    timelineCharts(viewOf(await finishedRun(requests)))
      .find(({ id }) => id === "time-in-flight" || id === "in-flight")?.title ?? "";
  assert.match(await titleOf(steadyRequests(90)), /^In flight: 4\.76 on average, 5 at most/);
  // For 2 ms there are four more.
  const short = Array.from({ length: 4 }, (_, at) => {
    const startNs = 1.81e9 + at * 1e5;
    return {
      startNs,
      chunkNs: Float64Array.of(startNs + 1e6, startNs + 2e6),
      endNs: startNs + 2e6,
    };
  });
  assert.match(await titleOf([...steadyRequests(90), ...short]), /, 9 at most/);
});
