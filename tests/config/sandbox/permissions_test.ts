import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { sourceFiles } from "../../../scripts/compile/source_files.ts";
import { resolvePlan } from "../../../src/config/plan/resolve/resolve_plan.ts";
import type { ProfileOptions } from "../../../src/config/options/profile/profile_types.ts";
import type { RunPlan } from "../../../src/config/plan/run_plan.ts";
import {
  loadWorkerPermissions,
  pacerPermissions,
  resultsWorkerPermissions,
  scrapeWorkerPermissions,
  workerOptions,
} from "../../../src/config/sandbox/permissions.ts";
import { threadPermissions } from "../../../src/run/runner/thread_permissions.ts";

const SOURCES = fileURLToPath(new URL("../../../src/", import.meta.url));

function planOf(options: ProfileOptions): Promise<RunPlan> {
  return resolvePlan({ model: "m", ...options }, {
    cores: 4,
    cliCommand: "",
    findModel: () => Promise.resolve("m"),
  });
}

Deno.test("threadPermissions gives each thread its own hosts and folder, and nobody more", async () => {
  const plan = await planOf({
    url: ["http://127.0.0.1:8000/v1", "http://127.0.0.1:8000/other", "http://127.0.0.2:9000"],
    serverMetrics: ["http://127.0.0.3:9100/metrics"],
    requestRate: 5,
    artifactDir: "out",
  });
  const threads = threadPermissions(plan);
  assert.deepEqual([...threads.keys()], [
    "load worker",
    "canary thread",
    "scrape worker",
    "GPU scrape worker",
    "pacer",
    "results worker",
  ]);
  assert.deepEqual(threads.get("GPU scrape worker")?.net.filter((host) => /^local/.test(host)), [
    "localhost:9400",
    "localhost:9401",
  ]);
  assert.deepEqual(threads.get("load worker"), {
    net: ["127.0.0.1:8000", "127.0.0.2:9000", "127.0.0.1:0"],
    read: [],
    write: [],
    priority: false,
  });
  assert.deepEqual(threads.get("canary thread"), {
    net: ["127.0.0.1:0"],
    read: [],
    write: [],
    priority: false,
  });
  const found = threadPermissions(plan, "127.0.0.1:4711");
  assert.ok(found.get("load worker")?.net.includes("127.0.0.1:4711"));
  assert.deepEqual(found.get("canary thread")?.net, ["127.0.0.1:4711"]);
  const scrape = threads.get("scrape worker");
  assert.ok(scrape?.net.includes("127.0.0.3:9100"));
  assert.deepEqual({ ...scrape, net: [] }, pacerPermissions());
  assert.deepEqual(threads.get("pacer"), { net: [], read: [], write: [], priority: false });
  assert.deepEqual(threads.get("results worker"), resultsWorkerPermissions("out"));
  assert.deepEqual(threadPermissions(plan, undefined, "[::1]:9400").get("live thread"), {
    net: ["[::1]:9400"],
    read: [],
    write: [],
    priority: true,
  });
});

Deno.test("threadPermissions names no thread that a run does not have", async () => {
  const plan = await planOf({
    ...{ url: ["127.0.0.1:8000"], noServerMetrics: true, noGpuTelemetry: true },
  });
  assert.deepEqual(
    [...threadPermissions(plan).keys()],
    ["load worker", "canary thread", "results worker"],
  );
  assert.deepEqual([...threadPermissions({ ...plan, canaries: false }).keys()], [
    "load worker",
    "results worker",
  ]);
});

Deno.test("a server is named by its name and its addresses, each with its port", async () => {
  const target = (await planOf({ url: ["http://127.0.0.1:80"] }))
    .targets[0] as RunPlan["targets"][0];
  const net = (hostname: string, addresses: string[], protocol = "http:") =>
    loadWorkerPermissions([
      { ...target, origin: { ...target.origin, protocol, hostname, addresses } },
    ]).net;
  assert.deepEqual(net("a.test", []), ["a.test:80"]);
  assert.deepEqual(net("a.test", ["10.0.0.1", "fd00::1"]), [
    "a.test:80",
    "10.0.0.1:80",
    "[fd00::1]:80",
  ]);
  assert.deepEqual(net("::1", ["::1"]), ["[::1]:80"]);
  // The name that a certificate must prove is asked for under port 0, which nobody listens at.
  assert.deepEqual(net("a.test", ["10.0.0.1"], "https:"), [
    "a.test:80",
    "10.0.0.1:80",
    "a.test:0",
  ]);
  assert.deepEqual(net("::1", ["::1"], "https:"), ["[::1]:80", "[::1]:0"]);
  const scrape = scrapeWorkerPermissions([target.origin, { ...target.origin }]);
  assert.deepEqual(scrape.net, ["127.0.0.1:80"]);
});

Deno.test("workerOptions grants lists only, and never programs, libraries, variables, imports", () => {
  for (const permissions of [pacerPermissions(), resultsWorkerPermissions("/a/b")]) {
    const { deno } = workerOptions(permissions) as unknown as {
      deno: { permissions: Record<string, unknown> };
    };
    const { net, read, write, sys, ...others } = deno.permissions;
    for (const list of [net, read, write]) assert.ok(Array.isArray(list));
    assert.deepEqual(sys, permissions.priority ? ["setPriority"] : false);
    assert.deepEqual(others, { env: false, run: false, ffi: false, import: false });
  }
});

Deno.test("threads are started in two places only: with a list of permissions, or with none", async () => {
  const places: string[] = [];
  for (const file of await sourceFiles(SOURCES)) {
    const text = await Deno.readTextFile(file);
    if (/new Worker\(/.test(text)) places.push(file.slice(SOURCES.length));
    if (file.endsWith("/mock/alarm_clock.ts")) {
      assert.match(text, /deno: \{ permissions: "none" \}/);
    }
  }
  assert.deepEqual(places.sort(), ["config/sandbox/start_thread.ts", "mock/alarm_clock.ts"]);
});

Deno.test("nothing opens connections that the runtime does not check in every version", async () => {
  const unchecked = /["'](node:)?(net|http|https|http2|tls|dgram|cluster|undici)["']/;
  for (const file of await sourceFiles(SOURCES)) {
    const imports = (await Deno.readTextFile(file)).match(/(from|import\() ?["'][^"']+["']/g) ?? [];
    for (const text of imports) assert.doesNotMatch(text, unchecked, file);
  }
});
