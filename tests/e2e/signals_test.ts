/** A run that is told to end, and a server that stands still. */

import assert from "node:assert/strict";
import { readArtifacts, withFolder } from "../support/artifacts.ts";
import { type MockProcess, startMock } from "../support/mock_process.ts";
import { endOf, PROFILE } from "../support/profile_run.ts";
import { validRecords, valueOf } from "../support/recomputed.ts";
import { startRecordingServer } from "../support/recording_server.ts";
import { spawnCli } from "../support/run_cli.ts";
import { type ScriptedRequest, scriptedServer } from "../support/scripted_server.ts";
import { until } from "../support/until.ts";

// Windows knows no signals.
const ignore = Deno.build.os === "windows";

const EXIT_CODES = { "SIGINT": 130, "SIGTERM": 143, "SIGHUP": 143 } as const;
/**
 * Longest time from a signal to the end: running requests get two seconds, and the rest of the
 * work its time on a machine that does a lot besides.
 */
const MAX_END_SECONDS = 20;

/** Names in a folder, without those of unfinished files. */
function namesIn(folder: string): string[] {
  return [...Deno.readDirSync(folder)].filter(({ isFile }) => isFile).map(({ name }) => name);
}

async function answered(mock: MockProcess, count: number): Promise<void> {
  await until(`${count} answers`, async () => (await mock.stats()).succeeded >= count);
}

async function received(mock: MockProcess, count: number): Promise<void> {
  await until(`${count} requests`, async () => (await mock.stats()).requests >= count);
}

for (const [signal, exitCode] of Object.entries(EXIT_CODES) as [Deno.Signal, number][]) {
  Deno.test(`profile keeps what it measured when it gets ${signal}`, { ignore }, async (t) => {
    for (const load of [["--concurrency", "4"], ["--request-rate", "100"]]) {
      await t.step(load.join(" "), () =>
        withFolder(async (folder) => {
          // Some replies never end: they are what the run has to wait for, and gives up.
          await using server = startRecordingServer({
            answer: (_, number) => number % 20 === 19 ? endlessReply() : undefined,
          });
          const run = spawnCli([
            ...["profile", "--url", server.url, "--model", "m", "--streaming", "--isl", "10"],
            ...["--request-count", "100000", "--artifact-dir", folder, ...load],
            ...["--export-level", "raw", "--slice-duration", "1"],
          ]);
          const result = endOf(run);
          await until("thirty requests", () => server.requests.length >= 30);
          const startMs = performance.now();
          run.kill(signal);
          const { code, stdout, stderr } = await result;
          const seconds = (performance.now() - startMs) / 1000;
          assert.ok(seconds < MAX_END_SECONDS, `it took ${seconds} s`);
          assert.equal(code, exitCode, stderr);
          assert.match(stderr, /^\ninterrupted: running requests get 2 s/);
          assert.match(stdout, /INTERRUPTED, results are partial/);
          const { json, records } = await readArtifacts(folder);
          assert.equal(json.was_cancelled, true);
          assert.equal(json.is_complete, false);
          assert.ok(json.request_count.avg > 0);
          assert.equal(json.requests.sent, records.length, "every request has a record");
          const kinds = new Set(records.map(({ error }) => error?.kind));
          assert.deepEqual(kinds, new Set([undefined, "cancelled"]));
          const slices = `${folder}/profile_export_aiperf_timeslices.json`;
          assert.ok(JSON.parse(await Deno.readTextFile(slices)).timeslices.length > 0);
          const raw = await Deno.readTextFile(`${folder}/profile_export_raw.jsonl`);
          assert.equal(
            raw.trimEnd().split("\n").map((line) => JSON.parse(line)).length,
            records.length,
          );
        }));
    }
  });

  Deno.test(
    `profile ends at once at the second ${signal}`,
    { ignore },
    () =>
      withFolder(async (folder) => {
        await using mock = await startMock(["--faults", "stall:1"]);
        const run = spawnCli([
          ...["profile", "--url", mock.url, "--streaming", "--concurrency", "2"],
          ...["--artifact-dir", folder],
        ]);
        const stderr = firstWords(run.stderr);
        const stdout = new Response(run.stdout).text();
        await received(mock, 2);
        run.kill(signal);
        assert.match(await stderr.until("\ninterrupted:"), /interrupted/);
        // What comes with the first one is its echo: a terminal and a task runner both pass it on.
        const firstMs = performance.now();
        run.kill(signal);
        await until("the echo is over", () => performance.now() - firstMs > 600);
        run.kill(signal);
        assert.equal((await run.status).code, exitCode);
        assert.ok(performance.now() - firstMs > 600, "the echo ended it");
        await stderr.end();
        assert.equal(await stdout, "");
        assert.ok(!namesIn(folder).includes("profile_export_aiperf.json"), "it did not wait");
      }),
  );
}

/** A reply that begins well. */
function endlessReply(): Response {
  const event = { "choices": [{ "index": 0, "delta": { "content": "so" } }] };
  const body = new ReadableStream({
    start: (controller) =>
      controller.enqueue(new TextEncoder().encode(`data: ${JSON.stringify(event)}\n\n`)),
  });
  return new Response(body, { headers: { "Content-Type": "text/event-stream" } });
}

/** Reads a stream until it has said something. */
function firstWords(stream: ReadableStream<Uint8Array>): {
  until(words: string): Promise<string>;
  end(): Promise<void>;
} {
  const reader = stream.pipeThrough(new TextDecoderStream()).getReader();
  return {
    async until(words) {
      for (let text = "";;) {
        const { value, done } = await reader.read();
        text += value ?? "";
        if (done || text.includes(words)) return text;
      }
    },
    async end() {
      while (!(await reader.read()).done);
    },
  };
}

Deno.test("profile ends while it makes and reads its prompts", { ignore }, async (t) => {
  const cases: Readonly<Record<string, readonly string[]>> = {
    "prompts by the million": ["--num-dataset-entries", "10000000", "--benchmark-duration", "60"],
    "a pipe that says nothing": ["--input-file", "-"],
  };
  for (const [name, args] of Object.entries(cases)) {
    for (const [signal, exitCode] of Object.entries(EXIT_CODES) as [Deno.Signal, number][]) {
      await t.step(`${name}, ${signal}`, () =>
        withFolder(async (folder) => {
          await using server = startRecordingServer();
          const run = spawnCli([
            ...["profile", "--url", server.url, "--model", "m", ...args],
            ...["--artifact-dir", `${folder}/run`],
          ], { stdin: "piped" });
          const result = endOf(run);
          await until("the folder", () => [...Deno.readDirSync(folder)].length > 0);
          run.kill(signal);
          const { code, stderr } = await result;
          assert.equal(code, exitCode, stderr);
          assert.doesNotMatch(stderr, /\.ts:\d+|error:/);
          assert.equal(server.requests.length, 0);
          assert.deepEqual(namesIn(`${folder}/run`), [], "the folder is free again");
          await run.stdin.close();
        }));
    }
  }
});

Deno.test("profile ends while it waits for its server", { ignore }, async (t) => {
  const silence = () => new Promise<void>(() => {});
  const refusal = (request: ScriptedRequest) =>
    request.reply("HTTP/1.1 503 Loading\r\nContent-Length: 0\r\n\r\n");
  const wait = ["--model", "m", "--wait-for-model-timeout", "60"];
  const cases: Readonly<Record<string, [typeof refusal, string[]]>> = {
    "to name its model": [silence, []],
    "to be ready, while it is silent": [silence, wait],
    "to be ready, while it refuses": [refusal, wait],
  };
  for (const [name, [answer, args]] of Object.entries(cases)) {
    await t.step(name, () =>
      withFolder(async (folder) => {
        const { promise: asked, resolve } = Promise.withResolvers<void>();
        using server = scriptedServer((request) => {
          resolve();
          return answer(request);
        });
        const run = spawnCli([
          ...["profile", "--url", `127.0.0.1:${server.port}`, ...args],
          ...["--artifact-dir", `${folder}/run`],
        ]);
        const result = endOf(run);
        await asked;
        const startMs = performance.now();
        run.kill("SIGINT");
        const { code, stderr } = await result;
        const seconds = (performance.now() - startMs) / 1000;
        assert.ok(seconds < MAX_END_SECONDS, `it took ${seconds} s`);
        assert.equal(code, 130, stderr);
        assert.doesNotMatch(stderr, /\.ts:\d+|error:/);
        assert.deepEqual(namesIn(folder), [], "nothing was measured");
      }));
  }
});

Deno.test(
  "profile ends in the middle of its warm-up",
  { ignore },
  () =>
    withFolder(async (folder) => {
      await using mock = await startMock(["--ttft", "5"]);
      const run = spawnCli([
        ...["profile", "--url", mock.url, "--streaming", "--osl", "2", "--isl", "10"],
        ...["--warmup-request-count", "100000", "--request-count", "10", "--artifact-dir", folder],
      ]);
      const result = endOf(run);
      await answered(mock, 10);
      run.kill("SIGTERM");
      const { code, stderr } = await result;
      assert.equal(code, 143, stderr);
      const { json, records } = await readArtifacts(folder);
      assert.equal(json.was_cancelled, true);
      assert.equal(json.request_count.avg, 0);
      assert.ok(json.warmup_metrics.request_count.avg >= 10);
      assert.ok(records.every(({ metadata }) => metadata.benchmark_phase === "warmup"));
    }),
);

const PAUSE_MS = 1000;
const RATE = 50;

Deno.test(
  "profile counts latency from the intended start when the server stands still",
  { ignore },
  () =>
    withFolder(async (folder) => {
      await using mock = await startMock(["--ttft", "5"]);
      const run = spawnCli([
        ...[...PROFILE, "--url", mock.url, "--streaming", "--osl", "1", "--isl", "10"],
        ...["--request-rate", String(RATE), "--arrival-pattern", "constant", "--concurrency", "2"],
        ...["--request-count", "120", "--artifact-dir", folder],
      ]);
      const result = endOf(run);
      await answered(mock, 20);
      mock.signal("SIGSTOP");
      const stoppedMs = performance.timeOrigin + performance.now();
      // Not to wait for something: this is how long the server stands still.
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
      const continuedMs = performance.timeOrigin + performance.now();
      mock.signal("SIGCONT");
      const { code, stderr } = await result;
      assert.equal(code, 0, stderr);
      const { json, records } = await readArtifacts(folder);
      assert.equal(validRecords(records).length, 120, "no arrival is left out");
      const intendedMs = (record: typeof records[number]) =>
        Number(record.metadata["credit_issued_ns"]) / 1e6;
      const meanwhile = records.filter((record) =>
        intendedMs(record) > stoppedMs && intendedMs(record) < continuedMs
      );
      const expected = (continuedMs - stoppedMs) / 1000 * RATE;
      assert.ok(Math.abs(meanwhile.length - expected) <= 1, `${meanwhile.length} arrivals`);
      for (const record of meanwhile) {
        const leftMs = continuedMs - intendedMs(record);
        const latency = valueOf(record, "effective_latency");
        assert.ok(
          latency > leftMs - 5,
          `${latency} ms, while it stood still for ${leftMs} ms more`,
        );
      }
      // The two requests under way hide it from anybody who counts from the actual start.
      const slow = (tag: string) => records.filter((record) => valueOf(record, tag) > PAUSE_MS / 2);
      assert.ok(slow("request_latency").length <= 2 + 1);
      assert.ok(slow("effective_latency").length >= expected / 2 - 2);
      assert.ok(json.effective_latency.p90 > json.request_latency.p90 + PAUSE_MS / 10);
      assert.ok(json.effective_time_to_first_token.max > PAUSE_MS * 0.9);
    }),
);
