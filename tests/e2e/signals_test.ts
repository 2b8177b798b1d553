/** A run that is told to end, and a server that stands still. */

import assert from "node:assert/strict";
import { readArtifacts, type RecordLine, withFolder } from "../support/artifacts.ts";
import { type LocalMock, startLocalMock } from "../support/local_mock.ts";
import { endOf, runProfile } from "../support/profile_run.ts";
import { validRecords, valueOf } from "../support/recomputed.ts";
import { startRecordingServer } from "../support/recording_server.ts";
import { spawnCli } from "../support/run_cli.ts";
import { type ScriptedRequest, scriptedServer } from "../support/scripted_server.ts";
import { until } from "../support/until.ts";

// Windows knows no signals.
const ignore = Deno.build.os === "windows";

const EXIT_CODES = { "SIGINT": 130, "SIGTERM": 143, "SIGHUP": 143 } as const;

/** Names in a folder. */
function namesIn(folder: string): string[] {
  return [...Deno.readDirSync(folder)].map(({ name }) => name);
}

async function answered(mock: LocalMock, count: number): Promise<void> {
  await until(`${count} answers`, async () => (await mock.stats()).succeeded >= count);
}

async function received(mock: LocalMock, count: number): Promise<void> {
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
          const child = spawnCli([
            ...["profile", "--url", server.url, "--model", "m", "--streaming", "--isl", "10"],
            ...["--request-count", "100000", "--artifact-dir", folder, ...load],
            ...["--export-level", "raw", "--slice-duration", "1"],
          ]);
          const result = endOf(child);
          await until("thirty requests", () => server.requests.length >= 30);
          child.kill(signal);
          const { code, stdout, stderr } = await result;
          assert.equal(code, exitCode, stderr);
          assert.match(stderr, /^\ninterrupted: running requests get 2 s/);
          assert.match(stdout, /INTERRUPTED,\s+results\s+are\s+partial/);
          const { json, records } = await readArtifacts(folder);
          assert.equal(json.was_cancelled, true);
          assert.equal(json.is_complete, false);
          const reason = signal === "SIGINT" ? "interrupted" : "terminated";
          assert.deepEqual([json.ended_early, json.ended_early_reason], [null, reason]);
          const run = JSON.parse(await Deno.readTextFile(`${folder}/run/run.json`));
          assert.equal(run.summary.ended_early_reason, reason);
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
        using mock = await startLocalMock(["--faults", "stall:1"]);
        const run = spawnCli([
          ...["profile", "--url", mock.url, "--streaming", "--concurrency", "2"],
          ...["--artifact-dir", folder],
        ]);
        const stderr = firstWords(run.stderr);
        const stdout = new Response(run.stdout).text();
        await received(mock, 2);
        run.kill(signal);
        assert.match(await stderr.until("\ninterrupted:"), /interrupted/);
        // What comes within a short while is the first one's echo.
        const firstMs = performance.now();
        await until("no echo comes so late", () => performance.now() - firstMs > 450);
        run.kill(signal);
        assert.equal((await run.status).code, exitCode);
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
          assert.deepEqual(namesIn(folder), [], "an empty folder is left");
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
        run.kill("SIGINT");
        const { code, stderr } = await result;
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
      using mock = await startLocalMock(["--ttft", "5"]);
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
/** Times since 1970 in milliseconds are doubles. */
const ROUNDING_MS = 0.01;

Deno.test("profile counts latency from the intended start when the server stands still", () =>
  withFolder(async (folder) => {
    const held = new Set<string>();
    const continued = Promise.withResolvers<void>();
    let standsStill = false;
    await using server = startRecordingServer({
      async answer({ headers }, number) {
        if (number === 20) standsStill = true;
        if (!standsStill) return undefined;
        held.add(headers.get("x-request-id") as string);
        await continued.promise;
        return undefined;
      },
    });
    const result = runProfile(folder, [
      ...["--url", server.url, "--model", "m", "--streaming", "--isl", "10", "--workers", "1"],
      ...["--request-rate", String(RATE), "--arrival-pattern", "constant", "--concurrency", "2"],
      ...["--request-count", "120"],
    ]);
    await until("two requests wait", () => held.size === 2);
    // Not to wait for something: this is how long the server stands still.
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    standsStill = false;
    continued.resolve();
    const { code, stderr, artifacts: { json, records } } = await result;
    assert.equal(code, 0, stderr);
    assert.equal(held.size, 2, "no more requests than slots while it stood still");
    assert.equal(validRecords(records).length, 120, "no arrival is left out");
    const intendedMs = ({ metadata }: RecordLine) => Number(metadata["credit_issued_ns"]) / 1e6;
    const startMs = ({ metadata }: RecordLine) => Number(metadata.request_start_ns) / 1e6;
    const stuck = records.filter(({ metadata }) => held.has(metadata.x_request_id));
    const stoppedMs = Math.min(...stuck.map(startMs));
    const continuedMs = Math.min(
      ...stuck.map((record) => startMs(record) + valueOf(record, "request_latency")),
    );
    const meanwhile = records.filter((record) =>
      !stuck.includes(record) && intendedMs(record) > stoppedMs && intendedMs(record) < continuedMs
    );
    assert.ok(meanwhile.length >= PAUSE_MS / 1000 * RATE - 3, `${meanwhile.length} arrivals`);
    for (const record of meanwhile) {
      const leftMs = continuedMs - intendedMs(record);
      const waitMs = valueOf(record, "queue_wait") + valueOf(record, "send_slip");
      assert.ok(waitMs >= leftMs - ROUNDING_MS, `${waitMs} ms, though it stood still ${leftMs} ms`);
      const latency = valueOf(record, "effective_latency");
      assert.ok(latency >= waitMs + valueOf(record, "request_latency") - ROUNDING_MS);
    }
    // Only the two requests under way show it to anybody who counts from the actual start.
    for (const record of stuck) assert.ok(valueOf(record, "request_latency") > PAUSE_MS * 0.99);
    assert.ok(json.effective_time_to_first_token.max > PAUSE_MS * 0.9);
  }));

/** Command lines that open a FIFO to which no process writes. */
const BLOCKED = (fifo: string) => [
  ["profile", "--url", "127.0.0.1:9", "--model", "m", "--input-file", fifo],
  ["profile", "--config", fifo],
  ["profile", "--url", "127.0.0.1:9", "--model", "m", "--system-prompt-file", fifo, "--dry-run"],
  ["profile", "--url", "127.0.0.1:9", "--model", "m", "--request-rate-series", fifo, "--dry-run"],
  ["analyze-trace", fifo],
];

/** Exit codes that a shell reports for a process that a signal ends, by default or in order. */
const ENDS = { "SIGINT": [130], "SIGTERM": [143], "SIGHUP": [129, 143] };

for (const [index, args] of BLOCKED("FIFO").entries()) {
  const signal = (Object.keys(ENDS) as (keyof typeof ENDS)[])[index % 3] as keyof typeof ENDS;
  Deno.test(`${signal} ends ${args.join(" ")} without a writer`, {
    ignore: Deno.build.os !== "linux",
  }, () =>
    withFolder(async (folder) => {
      const fifo = `${folder}/fifo`;
      await new Deno.Command("mkfifo", { args: [fifo] }).output();
      const child = spawnCli(BLOCKED(fifo)[index] as string[]);
      await endsInTime(child, signal, () => waits(child.pid, /wait_for_partner|fifo_open/));
    }));
}

/** A text on which the pattern of {@linkcode writeTokenizer} takes longer than anyone waits. */
const ENDLESS = `${"a".repeat(60)}b`;

/** Writes a tokenizer whose pattern takes exponential time on some texts. */
async function writeTokenizer(folder: string): Promise<void> {
  await Deno.writeTextFile(
    `${folder}/tokenizer.json`,
    JSON.stringify({
      ...{ version: "1.0", truncation: null, padding: null, added_tokens: [], normalizer: null },
      pre_tokenizer: {
        type: "Split",
        pattern: { Regex: "(a+)+$" },
        behavior: "Isolated",
        invert: false,
      },
      ...{ post_processor: null, decoder: null },
      model: { type: "BPE", vocab: { a: 0, b: 1 }, merges: [] },
    }),
  );
  await Deno.writeTextFile(`${folder}/tokenizer_config.json`, "{}");
}

Deno.test("a signal ends profile while it makes prompts with a pattern without end", {
  ignore: Deno.build.os !== "linux",
}, () =>
  withFolder(async (folder) => {
    await writeTokenizer(folder);
    await Deno.writeTextFile(`${folder}/in.jsonl`, `${JSON.stringify({ text: ENDLESS })}\n`);
    for (const signal of Object.keys(EXIT_CODES) as (keyof typeof EXIT_CODES)[]) {
      const child = spawnCli([
        ...["profile", "--url", "127.0.0.1:9", "--model", "m", "--tokenizer", folder],
        ...["--input-file", `${folder}/in.jsonl`, "--artifact-dir", `${folder}/out`],
        ...["--custom-dataset-type", "single_turn"],
      ]);
      const { code } = await endsInTime(child, signal, () => cpuSeconds(child.pid) > 2.5);
      assert.equal(code, EXIT_CODES[signal]);
      assert.ok(!namesIn(folder).includes("out"), "nothing was measured");
    }
  }));

Deno.test("a signal ends analyze-trace while it counts with a pattern without end", {
  ignore: Deno.build.os !== "linux",
}, () =>
  withFolder(async (folder) => {
    await writeTokenizer(folder);
    const file = `${folder}/in.jsonl`;
    await Deno.writeTextFile(file, `${JSON.stringify({ text: ENDLESS })}\n`);
    const child = spawnCli([
      ...["analyze-trace", file, "--tokenizer", folder, "--custom-dataset-type", "single_turn"],
    ]);
    await endsInTime(child, "SIGINT", () => cpuSeconds(child.pid) > 2.5);
  }));

Deno.test("a signal ends profile while it pages its input with a pattern without end", {
  ignore: Deno.build.os !== "linux",
}, () =>
  withFolder(async (folder) => {
    await writeTokenizer(folder);
    await using server = startRecordingServer();
    const child = spawnCli([
      ...["profile", "--url", server.url, "--model", "m", "--tokenizer", folder, "--streaming"],
      ...["--input-file", "-", "--artifact-dir", `${folder}/out`, "--request-count", "100000"],
      ...["--custom-dataset-type", "single_turn", "--concurrency", "2"],
    ], { stdin: "piped" });
    const writer = child.stdin.getWriter();
    const row = (text: string) => new TextEncoder().encode(`${JSON.stringify({ text })}\n`);
    await writer.write(row("b"));
    await until("the first request", () => server.requests.length >= 1);
    await writer.write(row(ENDLESS));
    const before = cpuSeconds(child.pid);
    const { code, words } = await endsInTime(
      child,
      "SIGTERM",
      () => cpuSeconds(child.pid) > before + 2,
    );
    assert.equal(code, 143, words.join(""));
    const json = JSON.parse(
      await Deno.readTextFile(`${folder}/out/profile_export_aiperf.json`),
    );
    assert.deepEqual([json.was_cancelled, json.request_count.avg], [true, 1]);
    await writer.abort().catch(() => {});
  }));

Deno.test("a signal ends profile while it counts a reply with a pattern without end", {
  ignore: Deno.build.os !== "linux",
}, () =>
  withFolder(async (folder) => {
    await writeTokenizer(folder);
    const usage = { "prompt_tokens": 3, "completion_tokens": 7, "total_tokens": 10 };
    const reply = (content: string) =>
      Response.json({
        "choices": [{ "index": 0, "message": { content }, "finish_reason": "stop" }],
        usage,
      });
    await using server = startRecordingServer({
      answer: (_, number) => reply(number === 5 ? ENDLESS : "abab"),
    });
    const child = spawnCli([
      ...["profile", "--url", server.url, "--model", "m", "--tokenizer", folder, "--isl", "4"],
      ...["--artifact-dir", `${folder}/out`, "--request-count", "20", "--concurrency", "1"],
    ]);
    let isOver = false;
    void child.status.then(() => isOver = true);
    await until("all requests or the end", () => server.requests.length >= 20 || isOver);
    const before = cpuSeconds(child.pid);
    const { code, words } = await endsInTime(
      child,
      "SIGINT",
      () => cpuSeconds(child.pid) > before + 2,
    );
    assert.equal(code, 130, words.join(""));
    const { json, records } = await readArtifacts(`${folder}/out`);
    assert.deepEqual([json.was_cancelled, json.request_count.avg], [true, 20]);
    const tokens = records.map((record) => valueOf(record, "output_token_count"));
    assert.deepEqual(new Set(tokens.slice(0, 4)), new Set([4]), "counted before");
    assert.deepEqual(new Set(tokens.slice(5)), new Set([7]), "those of the usage afterwards");
    assert.match(words.join(""), /did not count the tokens of a reply in time/);
  }));

/** Sends a signal when a process is where it should be, and checks that it ends within 2 s. */
async function endsInTime(
  child: Deno.ChildProcess,
  signal: keyof typeof ENDS,
  isThere: () => boolean,
): Promise<{ readonly code: number; readonly words: readonly string[] }> {
  const words = Promise.all([child.stdout, child.stderr].map((s) => new Response(s).text()));
  let isOver = false;
  const end = child.status.then((status) => {
    isOver = true;
    return status;
  });
  await until("it is blocked", () => isOver || isThere());
  assert.ok(!isOver, `it ended by itself: ${isOver ? await words : ""}`);
  const sentMs = performance.now();
  child.kill(signal);
  const slow = setTimeout(() => child.kill("SIGKILL"), 5000);
  const { code } = await end;
  clearTimeout(slow);
  const told = await words;
  assert.ok(ENDS[signal].includes(code), `exit code ${code}`);
  assert.ok(performance.now() - sentMs < 2000, "it took too long");
  return { code, words: told };
}

/** Whether a thread of a process waits in a function of the kernel. */
function waits(pid: number, where: RegExp): boolean {
  try {
    return [...Deno.readDirSync(`/proc/${pid}/task`)].some(({ name }) =>
      where.test(Deno.readTextFileSync(`/proc/${pid}/task/${name}/wchan`))
    );
  } catch {
    return false;
  }
}

function cpuSeconds(pid: number): number {
  try {
    return Number(Deno.readTextFileSync(`/proc/${pid}/stat`).split(") ")[1]?.split(" ")[11]) / 100;
  } catch {
    return 0;
  }
}
