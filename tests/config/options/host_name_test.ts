import assert from "node:assert/strict";
import { isHostName } from "../../../src/config/options/host_name.ts";
import { namedMetricsUrl } from "../../../src/config/plan/servers/metrics_url.ts";
import { runCli } from "../../support/run_cli.ts";

const REFUSED = [
  "a=b",
  "a..b",
  ".a",
  "a~b",
  "a!b",
  "a,b",
  "a$b",
  "a*b",
  "",
  "x".repeat(64),
  "fd00:",
  "1:2",
  "::1::2",
];
const TAKEN = [
  "localhost",
  "a_b",
  "node-1.rack.example.",
  "127.0.0.1",
  "::1",
  "fd00::1",
  "xn--bcher-kva.de",
];

Deno.test("isHostName takes what a thread can be confined to", () => {
  for (const host of TAKEN) assert.ok(isHostName(host), host);
  for (const host of REFUSED) assert.ok(!isHostName(host), host);
});

Deno.test("URLs with a host that is no host name are refused by their option", () => {
  for (const url of ["http://a=b/metrics", "prefill=http://h:1", "http://a..b:9", "a$b:1"]) {
    assert.throws(() => namedMetricsUrl(url, "--server-metrics"), /^UsageError: --server-metrics/);
  }
});

Deno.test("commands refuse hosts that are no host names in one line", async () => {
  const profile = ["profile", "--url", "127.0.0.1:9", "--model", "m"];
  for (
    const args of [
      ["scrape", "http://a=b/metrics"],
      ["profile", "--url", "http://a..b:9", "--model", "m"],
      [...profile, "--server-metrics", "router=http://h:1"],
      [...profile, "--gpu-telemetry", "http://a=b:1"],
      [...profile, "--live", "a=b:80"],
      [
        ...profile,
        "--rendezvous",
        "a..b:80",
        "--rendezvous-token",
        "0123456789abcdef",
        "--shard",
        "0/2",
      ],
      [...profile, "--otel-url", "http://a=b:4318"],
    ]
  ) {
    const { code, stderr } = await runCli(args);
    assert.equal(code, 2, `${args.join(" ")}: ${stderr}`);
    assert.equal(stderr.trim().split("\n").length, 1, stderr);
    assert.match(stderr, /^error: /);
  }
});
