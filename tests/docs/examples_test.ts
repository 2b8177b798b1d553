/** The examples in `docs/examples/` do what they say. */

import assert from "node:assert/strict";
import { withFolder } from "../support/artifacts.ts";
import { deadAddress } from "../support/dead_address.ts";
import { startLocalMock } from "../support/local_mock.ts";
import { findPython, pythonTest } from "../support/python.ts";
import { cliCommand, type CliResult, NO_FLUSH, runCli } from "../support/run_cli.ts";

const EXAMPLES = new URL("../../docs/examples/", import.meta.url);

/** The path of an example. */
function example(name: string): string {
  return new URL(name, EXAMPLES).pathname;
}

/** Runs a program in a folder, with an `inferometer` on its path. */
async function run(
  folder: string,
  [command, ...args]: readonly [string, ...string[]],
  env: Readonly<Record<string, string>> = {},
): Promise<CliResult> {
  const bin = `${folder}/bin`;
  await Deno.mkdir(bin, { recursive: true });
  const [program, programArgs] = cliCommand([]);
  const words = [program, ...programArgs].map((word) => `'${word}'`).join(" ");
  await Deno.writeTextFile(`${bin}/inferometer`, `#!/bin/sh\nexec ${words} "$@"\n`, {
    mode: 0o755,
  });
  const { code, stdout, stderr } = await new Deno.Command(command, {
    args,
    cwd: folder,
    env: {
      ...{ ...NO_FLUSH, "TMPDIR": folder, "NO_COLOR": "1" },
      ...{ ...env, "PATH": `${bin}:${Deno.env.get("PATH")}` },
    },
  }).output();
  const decoder = new TextDecoder();
  return { code, stdout: decoder.decode(stdout), stderr: decoder.decode(stderr) };
}

Deno.test("every example is listed", async () => {
  const readme = await Deno.readTextFile(example("README.md"));
  for await (const { name } of Deno.readDir(EXAMPLES)) {
    if (name !== "README.md") assert.ok(readme.includes(`(${name})`), name);
  }
});

Deno.test("profile.yaml is a configuration that profile takes", async () => {
  const { code, stdout, stderr } = await runCli([
    ...["profile", "--config", example("profile.yaml"), "--dry-run"],
  ]);
  assert.equal(code, 0, stderr);
  for (const part of ["my-model", "5 requests/s, poisson", "120 s", "random seed  7"]) {
    assert.ok(stdout.includes(part), `${part}: ${stdout}`);
  }
});

Deno.test("scrape.sh collects metrics, keeps the pages, and makes other statistics of them", () =>
  withFolder(async (folder) => {
    using mock = await startLocalMock();
    const { code, stdout, stderr } = await run(
      folder,
      [example("scrape.sh"), mock.url],
      { "DURATION": "1s" },
    );
    assert.equal(code, 0, stderr);
    assert.match(stdout, /statistics: metrics\/server_metrics_export\.json\n$/);
    const read = async (path: string) => JSON.parse(await Deno.readTextFile(`${folder}/${path}`));
    assert.equal(
      (await read("metrics-slices/server_metrics_export.json")).histogram_estimator,
      "interpolation",
    );
    assert.ok(Object.keys((await read("metrics/server_metrics_export.json")).metrics).length > 5);
  }));

Deno.test("ci_gate.sh passes a good server and fails a broken, a slow and a missing one", async (t) => {
  const cases = [
    {
      name: "good",
      mock: ["--ttft", "1"],
      limit: "600000",
      code: 0,
      says: /^PASS: .* at most 600000$/m,
    },
    { name: "slow", mock: ["--ttft", "30"], limit: "20", code: 3, says: /^FAIL: TTFT p99 is/m },
    { name: "broken", mock: ["--faults", "500:1"], limit: "20", code: 1, says: /^FAIL: no valid/m },
  ];
  for (const { name, mock, limit, code, says } of cases) {
    await t.step(name, () =>
      withFolder(async (folder) => {
        using server = await startLocalMock(mock);
        const result = await run(folder, [example("ci_gate.sh"), server.url], {
          "MAX_TTFT_P99_MS": limit,
        });
        assert.equal(result.code, code, result.stdout + result.stderr);
        assert.match(result.stdout, says);
      }));
  }
  await t.step("missing", () =>
    withFolder(async (folder) => {
      const url = `http://${deadAddress()}`;
      const result = await run(folder, [example("ci_gate.sh"), url], { "WAIT": "1ms" });
      assert.equal(result.code, 1, result.stdout + result.stderr);
    }));
});

await pythonTest("read_records.py reads the records of a run", () =>
  withFolder(async (folder) => {
    using mock = await startLocalMock(["--ttft", "5", "--faults", "500:0.3"]);
    const { code, stderr } = await runCli([
      ...["profile", "--url", mock.url, "--streaming", "--request-count", "20", "--isl", "10"],
      ...["--warmup-request-count", "2", "--no-server-metrics", "--artifact-dir", `${folder}/run`],
    ]);
    assert.equal(code, 0, stderr);
    const { path } = await findPython();
    const result = await run(folder, [
      path as string,
      example("read_records.py"),
      `${folder}/run/profile_export.jsonl`,
    ]);
    assert.equal(result.code, 0, result.stderr);
    const json = JSON.parse(await Deno.readTextFile(`${folder}/run/profile_export_aiperf.json`));
    const valid = json.request_count.avg;
    assert.ok(result.stdout.startsWith(`20 requests, ${valid} valid\n`), result.stdout);
    assert.match(result.stdout, new RegExp(`^http_status +${20 - valid}$`, "m"));
    const { p50, p99 } = json.time_to_first_token;
    assert.ok(
      result.stdout.includes(
        `time_to_first_token (ms): p50 ${p50.toFixed(2)}, p99 ${p99.toFixed(2)}\n`,
      ),
      `${result.stdout}: ${p50}, ${p99}`,
    );
  }));

Deno.test("library.ts measures at rising concurrency", () =>
  withFolder(async (folder) => {
    using mock = await startLocalMock(["--ttft", "5", "--itl", "1"]);
    const { code, stdout, stderr } = await run(folder, [
      Deno.execPath(),
      ...["run", "--quiet", "--allow-all", "--unstable-worker-options"],
      ...[example("library.ts"), mock.url, "1,2"],
    ]);
    assert.equal(code, 0, stderr);
    const points = stdout.trim().split("\n").map((line) => JSON.parse(line));
    assert.equal(points[0].concurrency, 1);
    assert.ok(points.every(({ failed, ttftP99Ms }) => failed === 0 && ttftP99Ms >= 5), stdout);
  }));

for (
  const [name, format, sessions, calls] of [
    ["agents_graph.jsonl", "dag-jsonl", 4, 32],
    ["agents_spans.jsonl", "otel-spans", 1, 5],
    ["agents_weka.json", "weka-trace", 1, 10],
    ["agents_tools.jsonl", "multi-turn", 4, 16],
  ] as const
) {
  Deno.test(`${name} is a recording of sessions that profile replays`, () =>
    withFolder(async (folder) => {
      using mock = await startLocalMock(["--tool-calls", "1"]);
      const { code, stdout, stderr } = await runCli([
        ...["profile", "--url", mock.url, "--streaming", "--tokenizer", "builtin"],
        ...["--input-file", example(name), "--concurrency", "4"],
        ...["--artifact-dir", `${folder}/a`],
        ...(name === "agents_tools.jsonl"
          ? ["--num-sessions", "4", "--inter-turn-delay-cap-seconds", "0.01"]
          : ["--tool-time", "none", "--user-time", "none"]),
      ], { env: NO_FLUSH });
      assert.equal(code, 0, stderr);
      assert.ok((stdout + stderr).includes(`detected format ${format}`), stderr);
      const lines = (await Deno.readTextFile(`${folder}/a/sessions.jsonl`)).trim().split("\n")
        .map((line) => JSON.parse(line));
      assert.equal(lines.length, sessions);
      assert.ok(lines.every(({ status }) => status === "completed"));
      assert.equal(lines.reduce((sum, { calls: { ok } }) => sum + ok, 0), calls);
      const page = await Deno.readTextFile(`${folder}/a/report.html`);
      const kinds = page.includes("<h3>Kinds of agents</h3>");
      assert.equal(kinds, name !== "agents_tools.jsonl", "several agents have a table");
      // Names are unique in the file, kinds are not.
      if (name === "agents_graph.jsonl") assert.match(page, /<th scope="row">search<\/th><td>8</);
    }));
}
