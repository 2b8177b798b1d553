import assert from "node:assert/strict";
import { compactReport } from "../../../src/report/console/compact_report.ts";
import { goodEnough, publishable } from "../../../src/report/console/answers.ts";
import { remarks } from "../../../src/report/console/remarks.ts";
import { reportPage } from "../../../src/report/html/report_page.ts";
import { finishedRun, steadyRequests, viewOf } from "../../support/run_views.ts";

async function viewWith(slo: readonly string[]) {
  return viewOf(await finishedRun(steadyRequests(300), { options: { slo: [...slo] } }));
}

Deno.test("goodEnough counts objectives that are missed, by their values", async () => {
  const answer = async (...slo: string[]) => goodEnough((await viewWith(slo)).report);
  assert.deepEqual(await answer(), { text: "No objectives were set", tone: "plain" });
  assert.match(
    (await answer("ttft.p50<1ms", "ttft.p99<900ms")).text,
    /^No: 1 of 2 objectives missed/,
  );
  assert.match((await answer("ttft.p50<1ms")).text, /^No: the objective missed/);
  assert.match((await answer("ttft.p50<900ms")).text, /^Yes: the objective met/);
});

Deno.test("publishable names what keeps a run from being published", async () => {
  const { report } = await viewWith([]);
  const of = (proven: string) => publishable({ ...report, steady: { none: proven } }).text;
  assert.equal(of("the backlog grows"), "No: no steady state");
  assert.match(publishable(report).text, /^No: 0 of \d+ statistics are proven$/);
  assert.match(publishable({ ...report, sampling: undefined }).text, /^Not known/);
});

Deno.test("page and terminal have the same remarks and the same diagnosis", async () => {
  const view = await viewWith([]);
  const { report } = view;
  const notes = ["Servers took 40 % of the prompt tokens from their caches", "another note"];
  const noted = { ...view, report: { ...report, notes } };
  const texts = remarks(noted.report, undefined).map(({ text }) => text);
  assert.ok(texts.length >= notes.length);
  const plain = (text: string) => text.replace(/\s+/g, " ");
  const page = plain(
    [...reportPage(noted, { summaryJson: "{}", summaryName: "a.json" })].join("")
      .replace(/<(script|style)[^>]*>[^]*?<\/\1>/g, "").replace(/<[^>]+>/g, "")
      .replaceAll("&#39;", "'").replaceAll("&lt;", "<").replaceAll("&gt;", ">"),
  );
  const terminal = plain(
    compactReport(noted.report, {
      ...{ style: "compact", width: 120, color: false, directory: "a" },
      ...{ traceTiming: false, serverMetrics: undefined },
    }),
  );
  for (const text of texts) {
    assert.ok(page.includes(plain(text)), text);
    assert.ok(terminal.includes(plain(text)), text);
  }
  const { diagnosis } = report;
  assert.ok(diagnosis !== undefined);
  const [head = "", ...rest] = diagnosis.text.split(":");
  assert.ok(page.includes(plain(diagnosis.text)));
  assert.ok(terminal.includes(plain([head.toUpperCase(), ...rest].join(":"))));
});
