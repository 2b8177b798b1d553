/** Which files a run leaves, where, and under which names. */

import assert from "node:assert/strict";
import { readArtifacts, type RecordLine, withFolder } from "../support/artifacts.ts";
import { startLocalMock } from "../support/local_mock.ts";
import { PROFILE, runProfile } from "../support/profile_run.ts";
import { startRecordingServer } from "../support/recording_server.ts";
import { runCli } from "../support/run_cli.ts";

const ORDINARY = [
  "inputs.json",
  "profile_export.jsonl",
  "profile_export_aiperf.csv",
  "profile_export_aiperf.json",
  "profile_export_console.txt",
  "report.html",
];

function namesIn(folder: string): string[] {
  return [...Deno.readDirSync(folder)].map(({ name }) => name).sort();
}

/** A run of four small requests. */
function smallRun(url: string): string[] {
  return ["--url", url, "--model", "m", "--streaming", "--request-count", "4", "--isl", "10"];
}

Deno.test("profile writes files by --export-level", () =>
  withFolder(async (folder) => {
    await using server = startRecordingServer();
    const { artifacts } = await runProfile(`${folder}/records`, smallRun(server.url));
    assert.deepEqual(artifacts.names, ORDINARY);
    const summary = ["profile", "--artifact-dir", `${folder}/summary`, "--export-level", "summary"];
    assert.equal((await runCli([...summary, ...smallRun(server.url)])).code, 0);
    assert.deepEqual(
      namesIn(`${folder}/summary`),
      [...ORDINARY.filter((name) => name !== "profile_export.jsonl"), "run"],
    );
    const raw = await runProfile(`${folder}/raw`, [
      ...smallRun(server.url),
      ...["--export-level", "RAW", "--slice-duration", "1", "--console", "full"],
    ]);
    assert.deepEqual(
      raw.artifacts.names,
      [
        ...ORDINARY,
        "profile_export_raw.jsonl",
        "profile_export_aiperf_timeslices.csv",
        "profile_export_aiperf_timeslices.json",
      ].sort(),
    );
    for (const name of raw.artifacts.names) {
      assert.ok(raw.stdout.includes(name), `the console names ${name}`);
    }
  }));

interface RawRecord {
  readonly metadata: RecordLine["metadata"];
  readonly "start_perf_ns": number;
  readonly "request_headers": Readonly<Record<string, string>>;
  readonly status: number;
  readonly responses: readonly {
    readonly "perf_ns": number;
    readonly packets?: readonly { readonly name: string; readonly value: string }[];
    readonly text?: string;
  }[];
  readonly payload: unknown;
}

async function readRaw(folder: string): Promise<RawRecord[]> {
  const text = await Deno.readTextFile(`${folder}/profile_export_raw.jsonl`);
  return text.trimEnd().split("\n").map((line) => JSON.parse(line));
}

Deno.test("profile's raw records hold what was sent and what came back", () =>
  withFolder(async (folder) => {
    await using server = startRecordingServer();
    const { artifacts } = await runProfile(folder, [
      ...smallRun(server.url),
      ...["--export-level", "raw", "--header", "X-Tenant: a"],
    ]);
    const raw = await readRaw(folder);
    assert.deepEqual(
      raw.map(({ metadata }) => metadata),
      artifacts.records.map(({ metadata }) => metadata),
    );
    for (const record of raw) {
      const id = record.metadata.x_request_id;
      const received = server.requests.find(({ headers }) => headers.get("x-request-id") === id);
      assert.deepEqual(record.payload, JSON.parse(received?.body ?? ""));
      assert.equal(received?.headers.get("x-tenant"), "a");
      assert.equal(record.request_headers["X-Tenant"], "a");
      assert.equal(record.status, 200);
      const data = record.responses.flatMap(({ packets }) => packets ?? []);
      assert.deepEqual(data.map(({ name }) => name), data.map(() => "data"));
      assert.equal(data.at(-1)?.value, "[DONE]");
      const texts = data.slice(0, -1).map(({ value }) =>
        JSON.parse(value).choices[0]?.delta?.content ?? ""
      );
      assert.equal(texts.join(""), "one two three");
      const stamps = [record.start_perf_ns, ...record.responses.map(({ perf_ns }) => perf_ns)];
      assert.deepEqual(stamps, stamps.toSorted((a, b) => a - b));
    }
    await runProfile(`${folder}/whole`, [
      ...smallRun(server.url).filter((arg) => arg !== "--streaming"),
      ...["--export-level", "raw"],
    ]);
    for (const { responses } of await readRaw(`${folder}/whole`)) {
      assert.equal(responses.length, 1);
      assert.equal(
        JSON.parse(responses[0]?.text ?? "").choices[0].message.content,
        "one two three",
      );
    }
  }));

Deno.test("profile adds the phases of each request with --export-http-trace", () =>
  withFolder(async (folder) => {
    await using server = startRecordingServer();
    const { artifacts, stdout } = await runProfile(folder, [
      ...smallRun(server.url),
      ...["--export-http-trace", "--show-trace-timing"],
    ]);
    for (const { metadata, trace_data: trace = {} } of artifacts.records) {
      const times = [
        metadata.request_start_ns,
        trace["request_send_start_ns"],
        trace["request_send_end_ns"],
        trace["response_headers_received_ns"],
        trace["response_receive_start_ns"],
        trace["response_receive_end_ns"],
      ] as number[];
      assert.ok(times.every((time) => Number.isFinite(time)), JSON.stringify(trace));
      assert.ok((trace["request_bytes_total"] as number) > 100);
      assert.ok((trace["response_bytes_total"] as number) > 100);
      // The server may answer before the client hears that all was written.
      const [start = 0, sendStart = 0, , head = 0, firstBody = 0, lastBody = 0] = times;
      assert.deepEqual(
        [start, sendStart, head, firstBody, lastBody],
        [start, sendStart, head, firstBody, lastBody].toSorted((a, b) => a - b),
      );
    }
    assert.match(stdout, /^HTTP +avg /m);
    assert.match(stdout, /^waiting +ms /m);
    assert.match(artifacts.consoleText, /HTTP Trace Timing/);
    assert.match(artifacts.consoleText, /HTTP Waiting \(TTFB\) \(ms\)/);
  }));

Deno.test("profile replaces a finished run in the folder it was given, and nothing else", () =>
  withFolder(async (parent) => {
    await using server = startRecordingServer();
    const folder = `${parent}/run`;
    const run = async (...args: string[]) => {
      const all = ["profile", "--artifact-dir", folder, ...smallRun(server.url), ...args];
      const { code, stdout, stderr } = await runCli(all);
      assert.equal(code, 0, stderr);
      told = stderr;
      return stdout;
    };
    let told = "";
    const idOf = async (path: string): Promise<string> =>
      JSON.parse(await Deno.readTextFile(`${path}/profile_export_aiperf.json`)).benchmark_id;
    await run();
    const replaced = await idOf(folder);
    assert.match(await run(), /files {3}.*\/run\//);
    const first = await idOf(folder);
    assert.notEqual(first, replaced);
    assert.match(await run("--keep"), /files {3}.*\/run-2\//);
    assert.equal(told, "");
    assert.match(
      await run("--profile-export-prefix", "profile_export_aiperf2"),
      /files {3}.*\/run-3\//,
    );
    assert.match(
      told,
      /^warning: \S+\/run is not empty or in use by another run; results go to \S+\/run-3\n$/,
    );
    assert.deepEqual(namesIn(parent), ["run", "run-2", "run-3"]);
    assert.equal(await idOf(folder), first);
    assert.notEqual(await idOf(`${folder}-2`), first);
    // Neither other people's files nor results that a run leaves out are mistaken for its own.
    await Deno.writeTextFile(`${folder}/notes.txt`, "mine");
    await Deno.writeTextFile(`${folder}/profile_export_raw.jsonl`, "{}\n");
    assert.match(await run("--overwrite"), /files {3}.*\/run\//);
    assert.ok(!namesIn(folder).includes("profile_export_raw.jsonl"));
    assert.equal(await Deno.readTextFile(`${folder}/notes.txt`), "mine");
    assert.notEqual(await idOf(folder), first);
    assert.deepEqual(namesIn(parent), ["run", "run-2", "run-3"]);
    assert.equal((await readArtifacts(folder)).records.length, 4);
  }));

Deno.test("a command line of AIPerf is taken as it stands", () =>
  withFolder(async (folder) => {
    await using server = startRecordingServer();
    const { code, stderr } = await runCli([
      ...["aiperf", "profile", "--artifact-dir", folder, ...smallRun(server.url)],
    ]);
    assert.equal(code, 0, stderr);
    assert.equal((await readArtifacts(folder)).records.length, server.requests.length);
  }));

Deno.test("profile names its files by --profile-export-prefix", () =>
  withFolder(async (folder) => {
    await using server = startRecordingServer();
    const { code } = await runCli([
      ...["profile", "--artifact-dir", folder, ...smallRun(server.url)],
      ...["--profile-export-prefix", "baseline.json", "--export-level", "raw"],
      ...["--slice-duration", "1"],
    ]);
    assert.equal(code, 0);
    assert.deepEqual(namesIn(folder), [
      "baseline.csv",
      "baseline.json",
      "baseline.jsonl",
      "baseline_console.txt",
      "baseline_raw.jsonl",
      "baseline_report.html",
      "baseline_timeslices.csv",
      "baseline_timeslices.json",
      "inputs.json",
      "run",
    ]);
  }));

/** Prefixes that try to leave the folder, that no system takes, or that name another file. */
const HOSTILE_PREFIXES = [
  "../escaped",
  "../../escaped",
  "sub/../../escaped",
  "..\\escaped",
  "..",
  ".",
  "",
  "with\0zero",
  "con",
  "NUL.json",
  "line\nbreak",
  "C:escaped",
  "inputs",
  "x".repeat(300),
];

Deno.test("profile refuses a prefix that is no plain name", async (t) => {
  await using server = startRecordingServer();
  for (const prefix of HOSTILE_PREFIXES) {
    await t.step(JSON.stringify(prefix.slice(0, 30)), () =>
      withFolder(async (parent) => {
        const folder = `${parent}/deep/run`;
        await Deno.mkdir(folder, { recursive: true });
        // From a file: not every one of them fits on a command line.
        const config = `${parent}/run.yaml`;
        await Deno.writeTextFile(config, `profile-export-prefix: ${JSON.stringify(prefix)}\n`);
        const { code, stderr } = await runCli([
          ...["profile", "--artifact-dir", folder, "--config", config, ...smallRun(server.url)],
        ]);
        assert.equal(code, 2, stderr);
        assert.match(stderr, /^error: .*(profile-export-prefix|profileExportPrefix).*\n$/);
        assert.deepEqual(namesIn(parent), ["deep", "run.yaml"]);
        assert.deepEqual(namesIn(`${parent}/deep`), ["run"]);
        assert.deepEqual(namesIn(folder), []);
      }));
  }
  assert.equal(server.requests.length, 0, "nothing was sent");
});

Deno.test("profile takes the last name of an absolute prefix, as AIPerf does", () =>
  withFolder(async (parent) => {
    await using server = startRecordingServer();
    const folder = `${parent}/run`;
    const { code } = await runCli([
      ...["profile", "--artifact-dir", folder, ...smallRun(server.url)],
      ...["--profile-export-prefix", `${parent}/escaped`],
    ]);
    assert.equal(code, 0);
    assert.deepEqual(namesIn(parent), ["run"]);
    assert.ok(namesIn(folder).includes("escaped.json"));
  }));

Deno.test("profile does not write through links that lie in its folder", {
  ignore: Deno.build.os === "windows",
}, () =>
  withFolder(async (parent) => {
    await using server = startRecordingServer();
    const folder = `${parent}/run`;
    await Deno.mkdir(folder);
    const planted = [...ORDINARY, "profile_export_raw.jsonl"];
    for (const name of [...planted, ...planted.map((name) => `${name}.tmp`)]) {
      await Deno.writeTextFile(`${parent}/target-${name}`, "precious");
      await Deno.symlink(`${parent}/target-${name}`, `${folder}/${name}`);
    }
    await runCli([
      ...["profile", "--artifact-dir", folder, ...smallRun(server.url)],
      ...["--overwrite", "--export-level", "raw"],
    ]);
    for (const name of namesIn(parent).filter((name) => name.startsWith("target-"))) {
      assert.equal(await Deno.readTextFile(`${parent}/${name}`), "precious", name);
    }
  }));

Deno.test("profile asks the server for its model where none is named", () =>
  withFolder(async (folder) => {
    using mock = await startLocalMock(["--mock-model", "org/found-model"]);
    const args = ["--url", mock.url, "--request-count", "3", "--osl", "2", "--isl", "10"];
    const { artifacts } = await runProfile(`${folder}/given`, args);
    assert.equal(artifacts.json.input_config.models.items[0].name, "org/found-model");
    const inputs = JSON.parse(await Deno.readTextFile(`${folder}/given/inputs.json`));
    assert.equal(inputs.data[0].payloads[0].model, "org/found-model");
    // Without a folder the name of the model is part of one, and no path.
    const { code, stderr } = await runCli([...PROFILE, ...args], { cwd: folder });
    assert.equal(code, 0, stderr);
    assert.deepEqual(namesIn(`${folder}/artifacts`), ["org_found-model-openai-chat-concurrency1"]);
  }));
