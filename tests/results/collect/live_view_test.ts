import assert from "node:assert/strict";
import { LiveView } from "../../../src/results/collect/live_view.ts";
import { endpointOf, scrapedEndpoint } from "../../support/metrics_pages.ts";

Deno.test("LiveView has the levels of the servers from the first page on, also if no one watches", () => {
  const page = "# TYPE vllm:num_requests_running gauge\nvllm:num_requests_running 3\n" +
    "# TYPE vllm:num_requests_waiting gauge\nvllm:num_requests_waiting 5\n";
  const endpoints = [scrapedEndpoint(endpointOf([[1, page]]), { url: "http://a/metrics" })];
  const view = new LiveView();
  assert.equal(view.levels(endpoints), undefined, "no page has come");
  view.notePage();
  const levels = view.levels(endpoints);
  assert.deepEqual([levels?.running, levels?.waiting], [3, 5]);
  assert.equal(view.now(endpoints), undefined);
});
