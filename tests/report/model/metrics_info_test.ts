import assert from "node:assert/strict";
import { metricsInfo } from "../../../src/report/model/metrics_info.ts";
import type { SeriesIdentity } from "../../../src/telemetry/timeseries/series.ts";
import { ScalarSeries } from "../../../src/telemetry/timeseries/series.ts";

function endpoint(url: string, identities: readonly Partial<SeriesIdentity>[]) {
  const series = identities.map((identity, number) =>
    new ScalarSeries(
      { ...{ name: "", type: "gauge", labels: [], description: "", unit: null }, ...identity },
      number,
      number,
    )
  );
  return { url, series: { series } };
}

Deno.test("metricsInfo has the labels of what is called _info, in an order of its own", () => {
  const build: SeriesIdentity["labels"] = [["os", "linux\u001b[2J"], ["version", "1.2"]];
  const [server, ...more] = metricsInfo([
    endpoint("http://a/metrics", [
      { name: "vllm:lora_info", labels: [["name", "b"]] },
      { name: "vllm:lora_info", labels: [["name", "a"]] },
      { name: "vllm:running", labels: [["model", "m"]] },
      { name: "build_info", labels: [...build, ["empty", ""]] },
    ]),
    endpoint("http://b/metrics", [{ name: "running" }]),
  ]);
  assert.deepEqual(more, []);
  assert.deepEqual(server, {
    url: "http://a/metrics",
    facts: [
      ["build_info.os", "linux [2J"],
      ["build_info.version", "1.2"],
      ["vllm:lora_info[1].name", "a"],
      ["vllm:lora_info[2].name", "b"],
    ],
    asked: [],
  });
});
