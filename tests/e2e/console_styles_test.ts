/** `--quiet` and `--json`: what scripts read. */

import assert from "node:assert/strict";
import { latencyDistribution } from "../../src/mock/latency_distribution.ts";
import { withFolder } from "../support/artifacts.ts";
import { withMock } from "../support/local_mock.ts";
import { runCli } from "../support/run_cli.ts";

const MOCK = { ttft: latencyDistribution("20"), itl: latencyDistribution("4") };
const LOAD = ["--streaming", "--concurrency", "4", "--request-count", "120", "--osl", "5"];
const SLOS = ["--slo", "latency.p50<60s", "--slo", "ttft.p50<1ms"];

Deno.test("profile --json prints one object with the answers, and the exit code", () =>
  withMock(MOCK, ({ url }) =>
    withFolder(async (folder) => {
      const { code, stdout } = await runCli([
        ...["profile", "--url", url, ...LOAD, ...SLOS, "--gpus", "4", "--json"],
        ...["--artifact-dir", `${folder}/run`],
      ]);
      assert.equal(code, 3);
      const summary = JSON.parse(stdout);
      assert.equal(stdout.trimEnd().split("\n").length, 1);
      assert.equal(summary.schema, "inferometer.summary/1");
      assert.equal(summary.exit, 3);
      const { loop, concurrency, sent, gpus, osl } = summary.load;
      assert.deepEqual([loop, concurrency, sent, gpus, osl], ["closed", 4, 120, 4, 5]);
      const file = JSON.parse(await Deno.readTextFile(`${folder}/run/profile_export_aiperf.json`));
      const ttft = summary.metrics.find((one: { metric: string; statistic: string }) =>
        one.metric === "time_to_first_token" && one.statistic === "p50"
      );
      const from = summary.window.steady ? file.steady_state.metrics : file;
      assert.equal(ttft.value, from.time_to_first_token.p50);
      assert.equal(ttft.unit, "ms");
      const { from_s: fromSeconds, to_s: toSeconds, steady } = summary.window;
      assert.ok(0 <= fromSeconds && fromSeconds < toSeconds);
      assert.equal(steady, file.validity.window === "steady");
      const seconds = steady ? file.steady_state.seconds : summary.load.duration_s;
      assert.ok(Math.abs(toSeconds - fromSeconds - seconds) < 1e-6, "it is as long as the window");
      assert.equal(summary.diagnosis.code, file.diagnosis.code);
      assert.equal(summary.publishable.of, file.validity.of);
      assert.deepEqual(
        summary.objectives.map(({ met, text }: { met: boolean; text: string }) => [text, met]),
        [["latency.p50 < 60 s", true], ["ttft.p50 < 1 ms", false]],
      );
      const again = await runCli(["report", `${folder}/run`, "--json"]);
      assert.deepEqual({ ...JSON.parse(again.stdout), exit: 3 }, summary);
    })));

Deno.test("profile --quiet prints the closing lines, and nothing on standard error", () =>
  withMock(MOCK, ({ url }) =>
    withFolder(async (folder) => {
      const { code, stdout, stderr } = await runCli([
        ...["profile", "--url", url, ...LOAD, ...SLOS, "--quiet"],
        ...["--artifact-dir", `${folder}/run`],
      ]);
      assert.equal(code, 3);
      assert.equal(stderr, "");
      // The same process may run further command lines: they have their notices.
      const loud = await runCli([
        "profile",
        "--url",
        url,
        "--request-count",
        "1",
        "--goodput",
        "itl:5",
        "--artifact-dir",
        `${folder}/loud`,
      ]);
      assert.match(loud.stderr, /^warning: /m);
      const [diagnosis = "", publishable = "", ...rest] = stdout.trimEnd().split("\n");
      assert.deepEqual(rest, []);
      assert.match(diagnosis, /^[A-Z][A-Z -]+: /);
      assert.match(
        publishable,
        /PUBLISHABLE.*: \d+ of \d+ statistics; slo: [01] missed, [012] inconclusive, [01] met$/,
      );
    })));

Deno.test("profile refuses --quiet together with --json", async () => {
  const { code, stderr } = await runCli([
    "profile",
    "--url",
    "http://127.0.0.1:9",
    "--quiet",
    "--json",
  ]);
  assert.equal(code, 2);
  assert.match(stderr, /^error: --json: Cannot be used together with --quiet$/m);
});

Deno.test("commands of several runs print one JSON object, or the results alone", () =>
  withMock({ ttft: latencyDistribution("5") }, ({ url }) =>
    withFolder(async (folder) => {
      const load = ["--streaming", "--request-count", "12", "--osl", "3"];
      const short = ["profile", "--url", url, ...load];
      const objectOf = async (args: readonly string[]) => {
        const { code, stderr, stdout } = await runCli(args);
        assert.equal(code, 0, stderr);
        assert.equal(stdout.trimEnd().split("\n").length, 1, stdout);
        return JSON.parse(stdout);
      };
      const sweep = `${folder}/sweep`;
      const many = [...short, "--concurrency", "1,2", "--artifact-dir", sweep];
      const printed = await objectOf([...many, "--json"]);
      const file = `${sweep}/sweep_aggregate/profile_export_aiperf_sweep.json`;
      assert.deepEqual(printed, JSON.parse(await Deno.readTextFile(file)));
      assert.deepEqual(await objectOf(["report", sweep, "--json"]), printed);
      // What is printed is no other plan: the finished runs are kept.
      const resumed = await runCli(["profile", "--resume", sweep, "--quiet"]);
      assert.equal(resumed.code, 0, resumed.stderr);
      assert.doesNotMatch(resumed.stdout, /continuing|^1\/2/m);
      assert.match(resumed.stdout, /best throughput/);
      const repeated = [...short, "--num-profile-runs", "2", "--artifact-dir", `${folder}/runs`];
      assert.ok("metadata" in await objectOf([...repeated, "--json"]));
      const ab = ["profile", "--ab", url, url, ...load, "--artifact-dir", `${folder}/ab`];
      assert.equal((await objectOf([...ab, "--ab-blocks", "2", "--json"])).comparisons.length, 1);
    })));
