import assert from "node:assert/strict";
import { UsageError } from "../../../../src/config/options/usage_error.ts";
import { scrapeInputConfig } from "../../../../src/report/export/summary/input_config.ts";
import {
  metricsOfServer,
  namedMetricsUrl,
  placedMetricsUrl,
} from "../../../../src/config/plan/servers/metrics_url.ts";
import { resolvePlan } from "../../../../src/config/plan/resolve/resolve_plan.ts";
import { resolveScrape } from "../../../../src/config/plan/resolve/resolve_scrape.ts";
import { resolveMetricsOutput } from "../../../../src/config/plan/servers/resolve_server_metrics.ts";
import { alternativeEndpoints } from "../../../../src/telemetry/scrape/metrics_endpoint.ts";

/** Inference servers, and where their metrics are looked for. */
const SERVERS: Readonly<Record<string, string>> = {
  "localhost:8000": "http://localhost:8000/metrics",
  "http://localhost:8000": "http://localhost:8000/metrics",
  "http://localhost:8000/": "http://localhost:8000/metrics",
  "http://localhost:8000//": "http://localhost:8000/metrics",
  "  http://localhost:8000 ": "http://localhost:8000/metrics",
  "HTTP://LocalHost:8000": "http://localhost:8000/metrics",
  "https://host": "https://host/metrics",
  "https://host:443": "https://host/metrics",
  "http://host/v1": "http://host/metrics",
  "http://host/v1/": "http://host/metrics",
  "http://host/v1/chat/completions": "http://host/metrics",
  "http://host/api/v1": "http://host/api/metrics",
  "http://host/v10": "http://host/v10/metrics",
  "http://host/proxy": "http://host/proxy/metrics",
  "http://host/metrics": "http://host/metrics",
  "http://host/metrics/": "http://host/metrics",
  "http://host?api-version=2": "http://host/metrics?api-version=2",
  "http://host/v1?a=b": "http://host/metrics?a=b",
  "http://host#part": "http://host/metrics",
  "http://[::1]:8000/v1": "http://[::1]:8000/metrics",
};

/** Endpoints that a user named. */
const NAMED: Readonly<Record<string, string>> = {
  "node1": "http://node1/metrics",
  "node1:8081": "http://node1:8081/metrics",
  "http://node1:8081/": "http://node1:8081/metrics",
  "http://node1:8081/stats": "http://node1:8081/stats",
  "http://node1:8081/telemetry/": "http://node1:8081/telemetry/",
  "http://node1/v1": "http://node1/v1",
  "http://node1/prometheus/metrics": "http://node1/prometheus/metrics",
  "http://node1/metrics?module=a&target=b": "http://node1/metrics?module=a&target=b",
  "http://node1?x=1": "http://node1/metrics?x=1",
  "[::1]:9100": "http://[::1]:9100/metrics",
};

for (const [url, wanted] of Object.entries(SERVERS)) {
  Deno.test(`metricsOfServer of ${JSON.stringify(url)} is ${wanted}`, () => {
    const { endpoint } = metricsOfServer(url);
    assert.equal(endpoint.redactedUrl, wanted);
    const { pathname, search, host } = new URL(wanted);
    assert.deepEqual([endpoint.path, endpoint.origin.host], [pathname + search, host]);
    assert.equal(endpoint.named, false);
  });
}

Deno.test("metricsOfServer of a URL that requests go to as it stands is beside its last part", () => {
  const of = (url: string) => metricsOfServer(url, true).endpoint.redactedUrl;
  assert.equal(of("localhost:8000/ask"), "http://localhost:8000/metrics");
  assert.equal(of("http://host/team/ask/?a=b"), "http://host/team/metrics?a=b");
  assert.equal(of("http://host/v1/ask"), "http://host/metrics");
  assert.equal(of("http://host"), "http://host/metrics");
});

for (const [url, wanted] of Object.entries(NAMED)) {
  Deno.test(`namedMetricsUrl of ${JSON.stringify(url)} is ${wanted}`, () => {
    const { endpoint } = namedMetricsUrl(url, "--server-metrics");
    assert.equal(endpoint.redactedUrl, wanted);
    assert.equal(endpoint.named, true);
  });
}

Deno.test("namedMetricsUrl refuses what is no http or https URL, and says where it came from", () => {
  for (
    const url of [
      "",
      "   ",
      "ftp://host/metrics",
      "file:///etc/passwd",
      "http://",
      "a b",
      "http://h:0",
    ]
  ) {
    assert.throws(() => namedMetricsUrl(url, "--server-metrics"), {
      name: "UsageError",
      message: /^--server-metrics: /,
    }, JSON.stringify(url));
  }
});

Deno.test("metricsOfServer and namedMetricsUrl show no credentials, and know them", () => {
  for (const parse of [metricsOfServer, (url: string) => namedMetricsUrl(url, "URL")]) {
    const url = "http://me:s3cret@host/metrics?token=t0ken&api_key=k3y&sig=s1g&model=m";
    const { endpoint, secrets } = parse(url);
    assert.doesNotMatch(endpoint.redactedUrl, /s3cret|t0ken|k3y|s1g/);
    assert.match(endpoint.redactedUrl, /redacted.*@host\/metrics\?.*model=m/);
    assert.equal(endpoint.path, "/metrics?token=t0ken&api_key=k3y&sig=s1g&model=m");
    assert.equal(endpoint.authorization, `Basic ${btoa("me:s3cret")}`);
    for (const secret of ["s3cret", "t0ken", "k3y", "s1g"]) assert.ok(secrets.includes(secret));
  }
});

Deno.test("alternativeEndpoints keep what is before /metrics, and the query", () => {
  const moved = (url: string) =>
    alternativeEndpoints(namedMetricsUrl(url, "URL").endpoint).map(({ path, redactedUrl }) => [
      path,
      redactedUrl,
    ]);
  const paths = ["/prometheus/metrics", "/v1/metrics", "/metrics/"];
  assert.deepEqual(
    moved("http://h").toSorted(),
    paths.map((path) => [path, `http://h${path}`]).toSorted(),
  );
  assert.deepEqual(
    moved("http://h/api/metrics?a=/metrics").map(([path]) => path).toSorted(),
    paths.map((path) => `/api${path}?a=/metrics`).toSorted(),
  );
  for (
    const url of ["http://h/prometheus/metrics", "http://h/stats", "http://h/stats?x=/metrics"]
  ) {
    assert.deepEqual(moved(url), []);
  }
});

const CONTEXT = { cores: 4, cliCommand: "", findModel: () => Promise.resolve("m") };

async function endpointsOf(options: Parameters<typeof resolvePlan>[0]): Promise<string[]> {
  const { serverMetrics } = await resolvePlan({ model: "m", ...options }, CONTEXT);
  return serverMetrics?.endpoints.map(({ redactedUrl }) => redactedUrl) ?? [];
}

Deno.test("resolvePlan scrapes each endpoint once: first the servers', then those that are named", async () => {
  assert.deepEqual(
    await endpointsOf({
      url: ["http://127.0.0.1:1/v1", "http://127.0.0.1:2"],
      serverMetrics: ["127.0.0.1:3", "http://127.0.0.1:1/metrics", "http://127.0.0.1:3/metrics"],
    }),
    [1, 2, 3].map((port) => `http://127.0.0.1:${port}/metrics`),
  );
});

Deno.test("resolvePlan keeps endpoints apart that differ in scheme, path, or query", async () => {
  const urls = ["http://127.0.0.1:1/a", "https://127.0.0.1:1/a", "http://127.0.0.1:1/a?x=1"];
  assert.deepEqual(
    (await endpointsOf({ url: ["127.0.0.1:9"], serverMetrics: urls })).slice(1),
    urls,
  );
});

Deno.test("resolvePlan gives a server's key to its own endpoints, and to no other host", async () => {
  const { serverMetrics } = await resolvePlan({
    model: "m",
    apiKey: "k",
    url: ["http://127.0.0.1:1"],
    serverMetrics: ["http://127.0.0.1:1/stats", "127.0.0.1:2", "http://a:b@127.0.0.1:3/metrics"],
  }, CONTEXT);
  assert.deepEqual(serverMetrics?.endpoints.map(({ authorization }) => authorization), [
    "Bearer k",
    "Bearer k",
    undefined,
    `Basic ${btoa("a:b")}`,
  ]);
});

Deno.test("resolvePlan asks for nothing where no server metrics are wanted", async () => {
  const plan = await resolvePlan(
    { model: "m", url: ["127.0.0.1:1"], noServerMetrics: true },
    CONTEXT,
  );
  assert.equal(plan.serverMetrics, undefined);
});

Deno.test("resolvePlan refuses endpoints beside --no-server-metrics", async () => {
  for (const options of [{ serverMetrics: ["127.0.0.1:2"] }, { record: "pages.jsonl" }]) {
    await assert.rejects(
      resolvePlan({ model: "m", url: ["127.0.0.1:1"], noServerMetrics: true, ...options }, CONTEXT),
      { name: "UsageError", message: /Cannot be used together with --no-server-metrics/ },
    );
  }
});

Deno.test("resolveMetricsOutput has the defaults of the documentation", () => {
  assert.deepEqual(resolveMetricsOutput({}), {
    formats: ["json", "csv", "parquet"],
    jsonLayout: "nested",
    estimator: "interval",
    csvRaw: false,
    sliceNs: undefined,
    batchLines: 100,
  });
});

Deno.test("resolveMetricsOutput reads formats in any notation, each once", () => {
  const formats = (...given: string[]) =>
    resolveMetricsOutput({ serverMetricsFormats: given }).formats;
  assert.deepEqual(formats("json", "csv"), ["json", "csv"]);
  assert.deepEqual(formats("json,csv"), ["json", "csv"]);
  assert.deepEqual(formats("JSON csv", "parquet,jsonl", "json"), [
    "json",
    "csv",
    "parquet",
    "jsonl",
  ]);
  assert.throws(() => formats("json", "xml"), {
    name: "UsageError",
    message: '--server-metrics-formats: Must be of json, csv, parquet, jsonl: got "xml"',
  });
});

Deno.test("resolveMetricsOutput refuses estimators and layouts that there are not", () => {
  assert.throws(() => resolveMetricsOutput({ histogramEstimator: "x" }), /--histogram-estimator/);
  assert.throws(
    () => resolveMetricsOutput({ serverMetricsJsonLayout: "x" }),
    /--server-metrics-json-layout/,
  );
});

Deno.test("resolveScrape has a plan without load", async () => {
  const plan = await resolveScrape(["127.0.0.1:8002", "http://127.0.0.1:8003/stats"], {
    interval: 0.5,
    duration: 60,
    record: "pages.jsonl",
  });
  assert.deepEqual(plan.metrics.endpoints.map(({ redactedUrl }) => redactedUrl), [
    "http://127.0.0.1:8002/metrics",
    "http://127.0.0.1:8003/stats",
  ]);
  assert.deepEqual([plan.metrics.intervalNs, plan.durationNs, plan.metrics.flushNs], [
    0.5e9,
    60e9,
    0,
  ]);
  assert.equal(plan.metrics.recordingPath, `${Deno.cwd()}/pages.jsonl`);
  assert.equal(plan.output.directory, "artifacts/scrape-127.0.0.1_8002");
  assert.deepEqual(plan.secrets, []);
});

Deno.test("resolveScrape goes on without end where no duration is given", async () => {
  const unlimited = await resolveScrape(["127.0.0.1:1"], {});
  const { durationNs } = unlimited;
  assert.equal(durationNs, Infinity);
  assert.equal(scrapeInputConfig(unlimited)["duration"], null);
});

Deno.test("resolveScrape refuses numbers out of range, and says what they must be", async () => {
  const wrong: readonly [Parameters<typeof resolveScrape>[1], RegExp][] = [
    [{ duration: 0 }, /^--duration: Must be greater than 0: got 0$/],
    [{ duration: -1 }, /^--duration/],
    [{ interval: 0.001 }, /^--interval: Must be at least 0.01: got 0.001$/],
    [{ interval: 4000 }, /^--interval: Must be at most 3600: got 4000$/],
    [{ serverMetricsMaxBytes: 0 }, /^--server-metrics-max-bytes/],
    [{ serverMetricsTimeout: 0 }, /^--server-metrics-timeout/],
    [{ serverMetricsMaxSeries: 1.5 }, /^--server-metrics-max-series/],
    [{ sliceDuration: 0 }, /^--slice-duration/],
    [{ record: "" }, /^--record/],
  ];
  for (const [options, message] of wrong) {
    await assert.rejects(resolveScrape(["127.0.0.1:1"], options), { name: "UsageError", message });
  }
  await assert.rejects(resolveScrape([], {}), { name: "UsageError", message: /^URL/ });
});

Deno.test("placedMetricsUrl reads what is stated about a server in front of its URL", () => {
  const placeOf = (text: string) => placedMetricsUrl(text, "--server-metrics").endpoint;
  assert.equal(placeOf("prefill=http://p:8000").place, "prefill");
  assert.equal(placeOf("prefill=http://p:8000").redactedUrl, "http://p:8000/metrics");
  assert.equal(placeOf("DECODE=d:8001/x?a=b").place, "decode");
  assert.equal(placeOf("front=http://f/metrics").place, "front");
  assert.equal(placeOf("http://p:8000/metrics?decode=x").place, undefined);
  assert.throws(() => placeOf("router=http://p:8000"), UsageError);
});
