/** Traces and other input files, as a user sends them. */

import assert from "node:assert/strict";
import { withFolder } from "../support/artifacts.ts";
import { FIXTURES } from "../support/input_files.ts";
import { endOf, PROFILE, runProfile } from "../support/profile_run.ts";
import { startRecordingServer } from "../support/recording_server.ts";
import { runCli, spawnCli } from "../support/run_cli.ts";
import { valueOf } from "../support/recomputed.ts";

const TRACE = `${FIXTURES}mooncake_trace.jsonl`;

/** Milliseconds between the intended starts of requests. */
function intervals(records: readonly { metadata: Record<string, unknown> }[]): number[] {
  const times = records.map(({ metadata }) => Number(metadata["credit_issued_ns"]) / 1e6)
    .sort((a, b) => a - b);
  return times.slice(1).map((time, i) => Math.round(time - (times[i] as number)));
}

Deno.test("profile replays a trace at its times, sped up, within its bounds", () =>
  withFolder(async (folder) => {
    await using server = startRecordingServer();
    const run = async (name: string, ...args: string[]) => {
      const { artifacts, code, stderr } = await runProfile(`${folder}/${name}`, [
        ...["--url", server.url, "--model", "m", "--streaming", "--input-file", TRACE, ...args],
        ...["--tokenizer", "builtin"],
      ]);
      assert.equal(code, 0, stderr);
      return artifacts;
    };
    const whole = await run("whole", "--fixed-schedule");
    assert.deepEqual(intervals(whole.records), [60, 60]);
    assert.deepEqual(
      whole.records.map((record) => valueOf(record, "input_sequence_length")).sort(),
      [1100, 1200, 700],
    );
    assert.equal(whole.json.input_config.phases.at(-1)?.type, "fixed_schedule");
    const fast = await run("fast", "--fixed-schedule", "--synthesis-speedup-ratio", "3");
    assert.deepEqual(intervals(fast.records), [20, 20]);
    const named = await run(
      ...[
        "named",
        "--custom-dataset-type",
        "mooncake_trace",
        "--fixed-schedule-end-offset",
        "60",
      ] as const,
    );
    assert.deepEqual(intervals(named.records), [60]);
    const limited = await run("limited", "--fixed-schedule", "--request-count", "1");
    assert.equal(limited.records.length, 1);
  }));

Deno.test("profile says what it took a file for, and that times are not replayed", () =>
  withFolder(async (folder) => {
    await using server = startRecordingServer();
    const run = (name: string, ...args: string[]) =>
      runProfile(`${folder}/${name}`, [
        ...["--url", server.url, "--model", "m", "--request-count", "2", "--input-file", TRACE],
        ...args,
      ]);
    const { stderr, code } = await run("plain");
    assert.equal(code, 0);
    assert.match(
      stderr,
      /^note: .*detected format mooncake-trace .*: its first record has "input_length"$/m,
    );
    assert.match(stderr, /^warning: .* has timestamps, which are not replayed/m);
    const quiet = await run(
      "quiet",
      "--no-fixed-schedule",
      "--custom-dataset-type",
      "mooncake_trace",
    );
    assert.doesNotMatch(quiet.stderr, /detected format|timestamps/);
  }));

Deno.test("profile sends rows from a producer that never ends", async (t) => {
  const cases = [
    ["a number of requests", '{"text":"more"}', ["--request-count", "30", "--concurrency", "2"]],
    ["a time", '{"text":"more"}', ["--benchmark-duration", "0.5", "--concurrency", "2"]],
    [
      "a schedule's time",
      '{"timestamp":0,"input_length":9,"output_length":2}',
      ["--fixed-schedule", "--benchmark-duration", "0.5", "--concurrency", "2"],
    ],
  ] as const;
  for (const [name, row, stop] of cases) {
    await t.step(name, () =>
      withFolder(async (folder) => {
        await using server = startRecordingServer();
        const child = spawnCli([
          ...["profile", "--url", server.url, "--model", "m", "--input-file", "-", ...stop],
          ...["--artifact-dir", folder, "--no-server-metrics", "--ui", "none"],
        ], { stdin: "piped" });
        const block = new TextEncoder().encode(`${row}\n`.repeat(200));
        const writer = child.stdin.getWriter();
        // It writes as long as anybody reads.
        const produced = (async () => {
          for (;;) await writer.write(block);
        })().catch(() => {});
        const { code, stderr } = await child.output();
        await produced;
        assert.equal(code, 0, new TextDecoder().decode(stderr));
        const records = (await Deno.readTextFile(`${folder}/profile_export.jsonl`)).trim();
        const sent = records.split("\n").length;
        assert.ok(stop[0] === "--request-count" ? sent === 30 : sent >= 1);
      }));
  }
});

Deno.test("profile sends raw payloads byte for byte", () =>
  withFolder(async (folder) => {
    await using server = startRecordingServer();
    const path = `${FIXTURES}raw_payload.jsonl`;
    const { code, stderr } = await runProfile(folder, [
      ...["--url", server.url, "--model", "m", "--streaming", "--request-count", "2"],
      ...["--input-file", path],
    ]);
    assert.equal(code, 0, stderr);
    assert.deepEqual(
      server.requests.map(({ body }) => body).sort(),
      (await Deno.readTextFile(path)).trim().split("\n").sort(),
    );
  }));

Deno.test("profile replays a trace from a pipe, and refuses what it cannot tell", () =>
  withFolder(async (folder) => {
    await using server = startRecordingServer();
    const piped = async (text: string, ...args: string[]) => {
      const run = spawnCli([
        ...[...PROFILE, "--url", server.url, "--model", "m", "--input-file", "-"],
        ...["--artifact-dir", folder, "--overwrite", ...args],
      ], { stdin: "piped" });
      const result = endOf(run);
      const writer = run.stdin.getWriter();
      await writer.write(new TextEncoder().encode(text));
      await writer.close();
      return await result;
    };
    const { code, stderr } = await piped(await Deno.readTextFile(TRACE), "--fixed-schedule");
    assert.equal(code, 0, stderr);
    assert.equal(server.requests.length, 3);
    const refused = await piped('{"words": "x"}\n');
    assert.equal(refused.code, 2);
    assert.match(refused.stderr, /^error: -: No known format: its first record has "words"/m);
  }));

Deno.test("analyze-trace writes table, JSON and picture", () =>
  withFolder(async (folder) => {
    const { code, stdout, stderr } = await runCli([
      ...["analyze-trace", TRACE, "--output", `${folder}/t.json`, "--picture", `${folder}/t.svg`],
      ...["--cache-tokens", "512,100000"],
    ]);
    assert.equal(code, 0, stderr);
    assert.match(stdout, /mooncake-trace, 3 requests in 3 conversations/);
    assert.match(stdout, /unlimited .* 51\.2 %/);
    const json = JSON.parse(await Deno.readTextFile(`${folder}/t.json`));
    assert.equal(json.prefix_cache.infinite_cache.hit_tokens, 1536);
    assert.deepEqual(
      json.prefix_cache.caches.map((cache: { size_tokens: number }) => cache.size_tokens),
      [512, 100_000],
    );
    assert.equal(json.time.duration_s, 0.12);
    assert.match(await Deno.readTextFile(`${folder}/t.svg`), /^<svg [^>]*>.*<\/svg>$/s);
    const wrong = await runCli(["analyze-trace", TRACE, "--cache-tokens", "many"]);
    assert.equal(wrong.code, 2);
  }));
