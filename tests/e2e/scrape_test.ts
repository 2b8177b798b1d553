/** The commands about server metrics, as a user runs them. */

import assert from "node:assert/strict";
import { namesIn, withFolder } from "../support/artifacts.ts";
import { deadAddress } from "../support/dead_address.ts";
import { jsonDifferences } from "../support/json_difference.ts";
import {
  countedInWindow,
  endpointInfo,
  readMetricsArtifacts,
  statsAt,
} from "../support/metrics_artifacts.ts";
import { goodPage, startMetricsFaultServer } from "../support/metrics_fault_server.ts";
import { startLocalMock } from "../support/local_mock.ts";
import { ownAddress } from "../support/own_address.ts";
import { endOf } from "../support/profile_run.ts";
import { startRecordingServer } from "../support/recording_server.ts";
import { cliCommand, type CliResult, runCli, spawnCli } from "../support/run_cli.ts";
import {
  type ScriptedRequest,
  type ScriptedServer,
  scriptedServer,
} from "../support/scripted_server.ts";
import { until } from "../support/until.ts";

const ALL_FORMATS = ["--server-metrics-formats", "json,csv,parquet,jsonl"];
const QUICK = ["--interval", "40ms"];

/** A server whose page counts its scrapes. */
function countingServer(onRequest: (number: number) => void = () => {}, hostname?: string) {
  let number = 0;
  return scriptedServer(({ reply }: ScriptedRequest) => {
    onRequest(++number);
    return reply(pageReply(goodPage(number)));
  }, hostname);
}

function pageReply(text: string): string {
  return `HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: ${text.length}\r\n\r\n${text}`;
}

function scrape(...args: string[]): Promise<CliResult> {
  return runCli(["scrape", ...args]);
}

/** Scrapes until a condition holds, which is looked at again and again, and ends it by Ctrl-C. */
async function scrapeUntil(isEnough: () => boolean, ...args: string[]): Promise<CliResult> {
  const child = spawnCli(["scrape", ...args]);
  const result = endOf(child);
  let hasEnded = false;
  result.finally(() => hasEnded = true).catch(() => {});
  await until("enough scrapes", () => hasEnded || isEnough());
  if (!hasEnded) child.kill("SIGINT");
  return await result;
}

/** Everything in the files of a folder, as one text. */
async function contentOf(folder: string): Promise<string> {
  let text = "";
  for await (const { name, isFile } of Deno.readDir(folder)) {
    if (isFile) text += new TextDecoder("latin1").decode(await Deno.readFile(`${folder}/${name}`));
  }
  return text;
}

Deno.test("scrape collects for its duration and writes every file", () =>
  withFolder(async (folder) => {
    using server = countingServer();
    const url = `http://127.0.0.1:${server.port}`;
    const { code, stdout, stderr } = await scrape(
      ...[url, "--duration", "0.5s", "--artifact-dir", folder, ...QUICK, ...ALL_FORMATS],
    );
    assert.equal(code, 0, stderr);
    assert.equal(stderr, "");
    const artifacts = await readMetricsArtifacts(folder);
    const { json, lines, sections, parquet, names } = artifacts;
    const info = endpointInfo(json, `${url}/metrics`);
    assert.ok(info.total_fetches >= 3, `${info.total_fetches} scrapes`);
    assert.deepEqual([info.failed_fetches, json.was_cancelled], [{}, false]);
    assert.equal(lines.length, info.total_fetches);
    // The baseline is the reference: each further scrape counted five.
    const { total, pagesBefore } = countedInWindow(artifacts, `${url}/metrics`, "good_requests");
    assert.equal(total, 5 * (info.total_fetches - pagesBefore));
    assert.equal(statsAt(json, `${url}/metrics`, "good_requests").total, total);
    assert.equal(statsAt(json, `${url}/metrics`, "good_latency_seconds").count, total);
    assert.deepEqual(sections.map(([row]) => row?.["Type"]), ["gauge", "counter", "histogram"]);
    const isGauge = (row: Readonly<Record<string, unknown>>) => row["metric_type"] === "gauge";
    assert.equal(
      parquet.rows.filter((row) => !isGauge(row)).length,
      (info.total_fetches - pagesBefore) * 4,
    );
    // The last scrape comes after the end.
    const gauges = parquet.rows.filter(isGauge).length;
    assert.ok(
      gauges > 0 && gauges < info.total_fetches - pagesBefore,
      `${gauges} rows of the gauge`,
    );
    assert.equal(names.length, 4);
    assert.match(stdout, /server metrics: 3 metrics, 3 series/);
    assert.ok(stdout.includes(`artifacts: ${await Deno.realPath(folder)}/`));
    const durationMs = new Date(json.summary.end_time).getTime() -
      new Date(json.summary.start_time).getTime();
    assert.ok(durationMs >= 490, `${durationMs} ms`);
  }));

/** Starts a scrape, waits until the server was asked a few times, and sends a signal. */
async function interrupted(
  folder: string,
  signal: Deno.Signal,
  args: readonly string[],
): Promise<CliResult> {
  let scrapes = 0;
  using server = countingServer((number) => {
    scrapes = number;
  });
  const child = spawnCli([
    ...["scrape", `127.0.0.1:${server.port}`, "--artifact-dir", folder, ...QUICK, ...ALL_FORMATS],
    ...args,
  ]);
  await until("some scrapes", () => scrapes >= 4);
  child.kill(signal);
  const result = await endOf(child);
  const { json } = await readMetricsArtifacts(folder);
  const [info] = Object.values(json.summary.endpoint_info) as Record<string, number>[];
  assert.ok((info?.["total_fetches"] ?? 0) >= 4);
  assert.equal(json.was_cancelled, args.length > 0);
  return result;
}

Deno.test("scrape without a duration goes on until Ctrl-C, which is its proper end", () =>
  withFolder(async (folder) => {
    const { code, stdout, stderr } = await interrupted(folder, "SIGINT", []);
    assert.deepEqual([code, stderr], [0, "\nstopping: what was scraped is written\n"]);
    assert.doesNotMatch(stdout, /INTERRUPTED/);
  }));

Deno.test("scrape with a duration is partial after Ctrl-C", () =>
  withFolder(async (folder) => {
    const { code, stdout } = await interrupted(folder, "SIGINT", ["--duration", "60s"]);
    assert.equal(code, 130);
    assert.match(stdout, /INTERRUPTED/);
  }));

Deno.test("scrape writes what it has when it is asked to end", () =>
  withFolder(async (folder) => {
    assert.equal((await interrupted(folder, "SIGTERM", ["--duration", "60s"])).code, 143);
  }));

Deno.test("scrape goes on with one endpoint when the other one dies", () =>
  withFolder(async (folder) => {
    let alive = 0;
    using living = countingServer((number) => {
      alive = number;
    });
    const dying = countingServer(undefined, ownAddress());
    const urls = [living, dying].map(({ host }) => `http://${host}/metrics`);
    const child = spawnCli([
      ...["scrape", ...urls, "--artifact-dir", folder, ...QUICK, ...ALL_FORMATS],
    ]);
    await until("some scrapes", () => alive >= 4);
    dying[Symbol.dispose]();
    const before = alive;
    await until("the other one is still scraped", () => alive >= before + 5);
    child.kill("SIGINT");
    assert.equal((await endOf(child)).code, 0);
    const artifacts = await readMetricsArtifacts(folder);
    const { json } = artifacts;
    const [one, other] = urls.map((url) => endpointInfo(json, url));
    assert.deepEqual(one.failed_fetches, {});
    const { total, pagesBefore } = countedInWindow(artifacts, urls[0] as string, "good_requests");
    assert.equal(total, 5 * (one.total_fetches - pagesBefore));
    assert.equal(statsAt(json, urls[0] as string, "good_requests").total, total);
    assert.ok(other.total_fetches >= 1);
    const failures = Object.keys(other.failed_fetches);
    assert.ok(
      failures.length > 0 &&
        failures.every((reason) => /^(connect|connection_closed): /.test(reason)),
    );
  }));

Deno.test("scrape ends at once, with nothing written, where no endpoint gives metrics", () =>
  withFolder(async (folder) => {
    using server = startMetricsFaultServer();
    const { code, stderr } = await scrape(
      ...[server.url("json"), server.url("status_401"), deadAddress()],
      ...["--duration", "60s", "--artifact-dir", folder, ...QUICK, ...ALL_FORMATS],
    );
    assert.equal(code, 1);
    assert.match(stderr, /Disabling server metrics collection for \S+json/);
    assert.match(stderr, /status_401\/metrics are not collected: HTTP 401/);
    assert.match(stderr, /are not collected: (connect|connection_closed): /);
    assert.match(stderr, /error: No endpoint gave Prometheus metrics\n$/);
    assert.deepEqual(await namesIn(folder), []);
  }));

Deno.test("scrape does without an endpoint whose name nobody knows", () =>
  withFolder(async (folder) => {
    using server = countingServer();
    const { code, stderr } = await scrape(
      ...["http://no-such-host.invalid", `127.0.0.1:${server.port}`, "--duration", "0.3s"],
      ...["--artifact-dir", folder, ...QUICK, ...ALL_FORMATS],
    );
    assert.equal(code, 0, stderr);
    assert.match(stderr, /^warning: .*no-such-host\.invalid\/metrics are not collected: connect: /);
    const { json } = await readMetricsArtifacts(folder);
    assert.equal(json.summary.endpoints_configured.length, 2);
    assert.equal(json.summary.endpoints_successful.length, 1);
  }));

Deno.test("scrape says so when what it collected has no metric", () =>
  withFolder(async (folder) => {
    using server = scriptedServer(({ reply }) => reply(pageReply("# nothing yet\n")));
    const { code, stderr } = await scrape(
      ...[`127.0.0.1:${server.port}`, "--duration", "0.2s", "--artifact-dir", folder],
      ...QUICK,
      ...ALL_FORMATS,
    );
    assert.deepEqual([code, stderr], [1, "error: No metric was found\n"]);
    assert.deepEqual(await namesIn(folder), []);
  }));

Deno.test("replay makes the statistics of a live scrape again from its record", () =>
  withFolder(async (folder) => {
    using server = startMetricsFaultServer();
    const urls = ["good", "bad_third", "open_metrics", "one_bad_line", "json_here"]
      .map((fault) => server.url(fault));
    const [live, again] = [`${folder}/live`, `${folder}/again`];
    const record = `${folder}/pages.jsonl`;
    const slices = ["--slice-duration", "0.2"];
    const first = await scrapeUntil(
      () => ["good", "bad_third", "open_metrics", "one_bad_line"].every((f) => server.count(f) > 8),
      ...[...urls, "--artifact-dir", live, "--record", record],
      ...[...QUICK, ...ALL_FORMATS, ...slices],
    );
    assert.equal(first.code, 0, first.stderr);
    const second = await runCli([
      "replay",
      record,
      "--artifact-dir",
      again,
      ...ALL_FORMATS,
      ...slices,
    ]);
    assert.equal(second.code, 0, second.stderr);
    const [a, b] = [await readMetricsArtifacts(live), await readMetricsArtifacts(again)];
    assert.ok(Object.keys(a.json.metrics).length >= 6);
    assert.deepEqual([...jsonDifferences(a.json.metrics, b.json.metrics)], []);
    assert.equal(b.json.benchmark_id, a.json.benchmark_id);
    assert.deepEqual(b.json.summary.endpoints_successful, a.json.summary.endpoints_successful);
    assert.deepEqual(
      [b.json.summary.start_time, b.json.summary.end_time],
      [a.json.summary.start_time, a.json.summary.end_time],
    );
    const bySecond = (lines: readonly { endpoint_url: string; timestamp_ns: number }[]) =>
      lines.map((line) => JSON.stringify(line)).sort();
    assert.deepEqual(bySecond(b.lines), bySecond(a.lines));
    assert.equal(b.csv, a.csv);
    assert.equal(b.parquet.rows.length, a.parquet.rows.length);
  }));

Deno.test("profile keeps pages that replay makes the same metrics of", () =>
  withFolder(async (folder) => {
    using mock = await startLocalMock(["--ttft", "2", "--itl", "1"]);
    const [live, again] = [`${folder}/live`, `${folder}/again`];
    const { code, stderr } = await runCli([
      ...["profile", "--url", mock.url, "--model", "mock", "--streaming", "--osl", "3"],
      ...["--request-count", "20", "--concurrency", "4", "--warmup-request-count", "4"],
      ...["--server-metrics-interval", "50ms", "--server-metrics-flush-period", "0.1"],
      ...["--artifact-dir", live, "--record", `${folder}/pages.jsonl`, ...ALL_FORMATS],
    ]);
    assert.equal(code, 0, stderr);
    const replayed = await runCli([
      ...["replay", `${folder}/pages.jsonl`, "--artifact-dir", again, ...ALL_FORMATS],
    ]);
    assert.equal(replayed.code, 0, replayed.stderr);
    const [a, b] = [await readMetricsArtifacts(live), await readMetricsArtifacts(again)];
    assert.deepEqual([...jsonDifferences(a.json.metrics, b.json.metrics)], []);
    const requests = Object.values(a.json.metrics as Record<string, { series: unknown[] }>).length;
    assert.ok(requests > 5, "the mock tells metrics of its own");
  }));

Deno.test("replay takes a record that a run which died left behind", () =>
  withFolder(async (folder) => {
    let scrapes = 0;
    using server = countingServer((number) => {
      scrapes = number;
    });
    const record = `${folder}/pages.jsonl`;
    await scrapeUntil(
      () => scrapes >= 6,
      ...[`127.0.0.1:${server.port}`, "--artifact-dir", `${folder}/live`],
      ...["--record", record, ...QUICK],
    );
    const lines = (await Deno.readTextFile(record)).trimEnd().split("\n");
    const [head, ...pages] = lines;
    const cut = [head, ...pages.slice(0, 4), pages[4]?.slice(0, 90)].join("\n");
    await Deno.writeTextFile(record, cut);
    const { code, stderr, stdout } = await runCli([
      ...["replay", record, "--artifact-dir", `${folder}/again`, ...ALL_FORMATS],
    ]);
    assert.equal(code, 0, stderr);
    assert.match(stdout, /INTERRUPTED/);
    const { json } = await readMetricsArtifacts(`${folder}/again`);
    const [info] = Object.values(json.summary.endpoint_info) as Record<string, number>[];
    assert.deepEqual([info?.["total_fetches"], json.was_cancelled], [4, true]);
  }));

Deno.test("replay refuses a file that is no record, and says what is wrong", () =>
  withFolder(async (folder) => {
    const head =
      '{"format":"inferometer-scrapes","version":1,"benchmark_id":"x","endpoints_configured":[]}';
    const line = (second: number) =>
      `{"endpoint_url":"http://h/metrics","request_sent_ns":${second}000000000,` +
      `"latency_ns":5,"text":"a 1\\n"}\n`;
    const cases: readonly [string, RegExp][] = [
      ["", /Neither JSON lines of recorded pages nor one JSON document/],
      ["hello\n", /Neither JSON lines/],
      ["{}", /profiling_start_ns/],
      ['{"profiling_start_ns": "1", "profiling_end_ns": "x", "scrapes": []}', /profiling_end_ns/],
      [`${head}\n{"nope": 1}\n{}\n`, /Line 2 is not a recorded page/],
      [`${head}\n${line(5)}${line(4)}`, /Line 3 is older than the page before it/],
    ];
    for (const [text, message] of cases) {
      await Deno.writeTextFile(`${folder}/record`, text);
      const { code, stderr } = await runCli(["replay", `${folder}/record`]);
      assert.equal(code, 2, stderr);
      assert.match(stderr, message);
      assert.doesNotMatch(stderr, /\bat .*\.ts/);
    }
    const { code, stderr } = await runCli(["replay", `${folder}/missing`]);
    assert.deepEqual([code, /File does not exist/.test(stderr)], [2, true]);
  }));

Deno.test("replay reads standard input and pipes, and leaves nothing behind of them", () =>
  withFolder(async (folder) => {
    using server = countingServer();
    const record = `${folder}/pages.jsonl`;
    const live = await scrape(
      ...[`127.0.0.1:${server.port}`, "--duration", "0.3s", "--artifact-dir", `${folder}/live`],
      ...["--record", record, ...QUICK],
    );
    assert.equal(live.code, 0, live.stderr);
    const expected = await Deno.readTextFile(`${folder}/live/server_metrics_export.csv`);
    const temporary = `${folder}/temporary`;
    await Deno.mkdir(temporary);
    for (const file of ["-", "/dev/stdin"]) {
      const again = `${folder}/again${file.length}`;
      const [command, args] = cliCommand(["replay", file, "--artifact-dir", again]);
      const child = new Deno.Command(command, {
        args,
        stdin: "piped",
        stdout: "null",
        stderr: "piped",
        env: { "TMPDIR": temporary },
      }).spawn();
      await (await Deno.open(record)).readable.pipeTo(child.stdin);
      const { code, stderr } = await child.output();
      assert.equal(code, 0, new TextDecoder().decode(stderr));
      assert.equal(await Deno.readTextFile(`${again}/server_metrics_export.csv`), expected);
    }
    assert.deepEqual(await namesIn(temporary), []);
  }));

Deno.test("parse prints what a page says, and tells by its exit code whether it says anything", () =>
  withFolder(async (folder) => {
    const parse = async (text: string, ...args: string[]): Promise<CliResult> => {
      await Deno.writeTextFile(`${folder}/page`, text);
      return await runCli(["parse", `${folder}/page`, ...args]);
    };
    const good = await parse(
      '# HELP a_total Help\n# TYPE a_total counter\na_total{x="1"} 2\nb NaN\n',
    );
    assert.equal(good.code, 0, good.stderr);
    assert.deepEqual(JSON.parse(good.stdout), {
      "families": [
        {
          "name": "a",
          "type": "counter",
          "help": "Help",
          "unit": null,
          "samples": [{ "name": "a_total", "labels": { "x": "1" }, "value": 2 }],
        },
        {
          "name": "b",
          "type": "unknown",
          "help": "",
          "unit": null,
          "samples": [{ "name": "b", "labels": {}, "value": "NaN" }],
        },
      ],
      "errors": [],
    });
    const mixed = await parse("a 1\nthis is none\n");
    assert.equal(mixed.code, 0);
    assert.equal(JSON.parse(mixed.stdout).errors[0].line, 2);
    assert.equal((await parse("a 1\nthis is none\n", "--strict")).code, 1);
    assert.equal((await parse("<html></html>\n")).code, 1);
    assert.equal((await parse("")).code, 0);
    const openMetrics = await parse(
      "# TYPE a counter\na_total 1\n# EOF\n",
      ...["--strict", "--content-type", "application/openmetrics-text"],
    );
    assert.equal(openMetrics.code, 0, openMetrics.stdout);
    assert.equal((await runCli(["parse", `${folder}/missing`])).code, 2);
  }));

Deno.test("parse reads standard input", async () => {
  const [command, args] = cliCommand(["parse", "-"]);
  const child = new Deno.Command(command, {
    args,
    stdin: "piped",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const writer = child.stdin.getWriter();
  await writer.write(new TextEncoder().encode("a 1\n"));
  await writer.close();
  const { code, stdout } = await endOf(child);
  assert.equal(code, 0);
  assert.equal(JSON.parse(stdout).families[0].name, "a");
});

Deno.test("schema prints the schemas of all files, or of one", async () => {
  const all = await runCli(["schema"]);
  assert.equal(all.code, 0);
  const schemas = JSON.parse(all.stdout);
  const one = await runCli(["schema", "server_metrics_export.json"]);
  assert.deepEqual(JSON.parse(one.stdout), schemas["server_metrics_export.json"]);
  const wrong = await runCli(["schema", "server_metrics_export.jsno"]);
  assert.equal(wrong.code, 2);
  assert.match(wrong.stderr, /did you mean "server_metrics_export.json"/);
});

Deno.test("profile and scrape refuse options that contradict each other or make no sense", async () => {
  const wrong: readonly [readonly string[], RegExp][] = [
    [
      ["profile", "--url", "127.0.0.1:1", "--no-server-metrics", "--server-metrics", "127.0.0.1:2"],
      /--server-metrics: Cannot be used together with --no-server-metrics/,
    ],
    [
      ["profile", "--url", "127.0.0.1:1", "--server-metrics-formats", "xml"],
      /--server-metrics-formats.*xml/,
    ],
    [["scrape", "127.0.0.1:1", "--server-metrics-formats", "json,xml"], /xml/],
    [["scrape", "127.0.0.1:1", "--histogram-estimator", "guess"], /histogram-estimator/],
    [
      ["scrape", "127.0.0.1:1", "--interval", "1ms"],
      /--interval: Must be at least 0.01: got 0.001/,
    ],
    [["scrape", "127.0.0.1:1", "--duration", "0"], /--duration: Must be greater than 0/],
    [["scrape", "127.0.0.1:1", "--interval", "soon"], /--interval/],
    [["scrape", "ftp://127.0.0.1:1"], /Only http and https are supported/],
    [["scrape"], /missing required argument/],
    [["scrape", "127.0.0.1:1", "--concurrency", "3"], /--concurrency/],
  ];
  for (const [args, message] of wrong) {
    const { code, stderr, stdout } = await runCli(args);
    assert.deepEqual([code, stdout], [2, ""], args.join(" "));
    assert.match(stderr, message);
  }
});

Deno.test("formats are taken as words, as a list, and from a variable", async () => {
  using server = countingServer();
  const namesWith = async (args: string[], env: Record<string, string> = {}): Promise<string[]> => {
    let names: string[] = [];
    await withFolder(async (folder) => {
      const { code, stderr } = await runCli([
        ...["scrape", `127.0.0.1:${server.port}`, "--duration", "0.15s", "--artifact-dir", folder],
        ...[...QUICK, ...args],
      ], { env });
      assert.equal(code, 0, stderr);
      names = (await namesIn(folder)).map((name) => name.replace(/.*\./, "")).sort();
    });
    return names;
  };
  assert.deepEqual(await namesWith([]), ["csv", "json", "parquet"]);
  assert.deepEqual(await namesWith(["--server-metrics-formats", "json", "csv"]), ["csv", "json"]);
  assert.deepEqual(await namesWith(["--server-metrics-formats", "json,csv"]), ["csv", "json"]);
  assert.deepEqual(
    await namesWith(["--server-metrics-formats", "jsonl", "--profile-export-prefix", "mine.json"]),
    ["jsonl"],
  );
  const variable = { "INFEROMETER_SERVER_METRICS_FORMATS": "jsonl json" };
  assert.deepEqual(await namesWith([], variable), ["json", "jsonl"]);
});

Deno.test("files begin with the prefix that was asked for", () =>
  withFolder(async (folder) => {
    using server = countingServer();
    const { code, stderr } = await scrape(
      ...[`127.0.0.1:${server.port}`, "--duration", "0.15s", "--artifact-dir", folder, ...QUICK],
      ...[...ALL_FORMATS, "--profile-export-prefix", "run7.json"],
    );
    assert.equal(code, 0, stderr);
    assert.deepEqual(
      await namesIn(folder),
      ["csv", "json", "jsonl", "parquet"].map((format) => `run7_server_metrics.${format}`),
    );
  }));

Deno.test("variables of both spellings set how is scraped", () =>
  withFolder(async (folder) => {
    using server = startMetricsFaultServer();
    const withVariables = (name: string, env: Record<string, string>, fault = "good") =>
      runCli([
        ...["scrape", server.url(fault), "--duration", "0.2s"],
        ...["--artifact-dir", `${folder}/${name}`, "--server-metrics-formats", "json"],
      ], { env });
    for (const prefix of ["AIPERF_SERVER_METRICS", "INFEROMETER_SERVER_METRICS"]) {
      const { code, stderr } = await withVariables(prefix, {
        [`${prefix}_COLLECTION_INTERVAL`]: "0.025",
      });
      assert.equal(code, 0, stderr);
      const text = await Deno.readTextFile(`${folder}/${prefix}/server_metrics_export.json`);
      assert.equal(JSON.parse(text).input_config.server_metrics.interval, 0.025);
    }
    const { code, stderr } = await withVariables(
      "reach",
      { "AIPERF_SERVER_METRICS_REACHABILITY_TIMEOUT": "0.2" },
      "stall_before_head",
    );
    assert.equal(code, 1);
    assert.match(stderr, /no answer within 0\.2 s/);
  }));

Deno.test("credentials in metrics URLs stand in no output", () =>
  withFolder(async (folder) => {
    const heads: string[] = [];
    // A server that tells what it was asked with, as some do.
    using server = scriptedServer(({ head, reply }) => {
      heads.push(head);
      const basic = /authorization: basic (\S+)/i.exec(head)?.[1] ?? "";
      const text = `# HELP started With --password s3cretpass\nstarted{auth="${basic}",` +
        `token="t0kent0ken"} ${heads.length}\n`;
      return reply(pageReply(text));
    });
    using refusing = scriptedServer(({ reply }) =>
      reply("HTTP/1.1 307 T\r\nLocation: /x/t0kent0ken\r\nContent-Length: 0\r\n\r\n")
    );
    const secrets = ["s3cretpass", "t0kent0ken", btoa("me:s3cretpass")];
    const url = (port: number) => `http://me:s3cretpass@127.0.0.1:${port}/metrics?token=t0kent0ken`;
    const record = `${folder}/record/pages.jsonl`;
    await Deno.mkdir(`${folder}/record`);
    const { code, stdout, stderr } = await scrape(
      ...[url(server.port), url(refusing.port), "--duration", "0.3s", ...QUICK, ...ALL_FORMATS],
      ...["--artifact-dir", `${folder}/out`, "--record", record],
    );
    assert.equal(code, 0, stderr);
    assert.match(heads[0] ?? "", /^GET \/metrics\?token=t0kent0ken /, "they are used");
    assert.match(heads[0] ?? "", new RegExp(btoa("me:s3cretpass")));
    const replayed = await runCli(["replay", record, "--artifact-dir", `${folder}/again`]);
    assert.equal(replayed.code, 0, replayed.stderr);
    const outputs = {
      stdout,
      stderr,
      replay: replayed.stdout + replayed.stderr,
      out: await contentOf(`${folder}/out`),
      record: await contentOf(`${folder}/record`),
      again: await contentOf(`${folder}/again`),
    };
    for (const [where, text] of Object.entries(outputs)) {
      for (const secret of secrets) assert.ok(!text.includes(secret), `${secret} is in ${where}`);
    }
    const { json } = await readMetricsArtifacts(`${folder}/out`);
    assert.equal(json.metrics.started.series.length, 1);
  }));

Deno.test("profile tells no secret of the metrics URLs, and gives its key to no other host", () =>
  withFolder(async (folder) => {
    const heads: string[] = [];
    using other = scriptedServer(({ head, reply }) => {
      heads.push(head);
      return reply(
        "HTTP/1.1 200 OK\r\nContent-Type: application/json t0kent0ken\r\n" +
          "Content-Length: 2\r\n\r\n{}",
      );
    });
    using mock = await startLocalMock(["--ttft", "1", "--itl", "1"]);
    const { code, stdout, stderr } = await runCli([
      ...["profile", "--url", mock.url, "--model", "mock", "--streaming", "--osl", "2"],
      ...["--request-count", "5", "--artifact-dir", folder, "--api-key", "sk-my-api-key"],
      ...["--server-metrics", `http://127.0.0.1:${other.port}/metrics?key=t0kent0ken`],
      ...["--server-metrics-flush-period", "0"],
    ]);
    assert.equal(code, 0, stderr);
    assert.ok(heads.length >= 1);
    for (const head of heads) assert.doesNotMatch(head, /authorization|sk-my-api-key/i);
    const files = await contentOf(folder);
    for (const text of [stdout, stderr, files]) {
      assert.ok(!text.includes("t0kent0ken") && !text.includes("sk-my-api-key"));
    }
    assert.match(stderr, /returned non-Prometheus content-type/);
  }));

Deno.test("scrape skips beats of a slow endpoint, and tells how late it was", () =>
  withFolder(async (folder) => {
    let quickScrapes = 0;
    let slowScrapes = 0;
    let isOver = false;
    using quick = countingServer((number) => {
      quickScrapes = number;
    });
    // Each page takes until the other endpoint was scraped eight times.
    using slow = scriptedServer(async ({ reply }) => {
      const before = quickScrapes;
      const number = ++slowScrapes;
      if (number > 1) {
        await until("some beats", () => isOver || quickScrapes >= before + 8);
      }
      await reply(pageReply(goodPage(number)));
    });
    const urls = [slow, quick].map(({ port }) => `http://127.0.0.1:${port}/metrics`);
    const { code, stderr } = await scrapeUntil(
      () => isOver ||= slowScrapes > 5,
      ...[...urls, "--interval", "20ms", "--artifact-dir", folder, ...ALL_FORMATS],
    );
    assert.equal(code, 0, stderr);
    const { json } = await readMetricsArtifacts(folder);
    const [slowInfo, quickInfo] = urls.map((url) => endpointInfo(json, url));
    // While one of its pages was waited for, beats came and went.
    assert.ok(slowInfo.skipped_fetches >= slowScrapes - 3, JSON.stringify(slowInfo));
    assert.deepEqual(slowInfo.failed_fetches, {});
    assert.ok(slowInfo.avg_fetch_latency_ms > 0);
    assert.ok(slowInfo.max_fetch_latency_ms >= slowInfo.avg_fetch_latency_ms);
    assert.ok(quickInfo.total_fetches >= 8 * 4, "the other one is not held up");
    for (const { fetch_lateness_p99_ms: lateness } of [slowInfo, quickInfo]) {
      assert.ok(lateness >= 0);
    }
  }));

/** A server that takes its time for its first page. */
function hesitantServer(firstMs: number): ScriptedServer {
  let number = 0;
  return scriptedServer(async ({ reply }) => {
    // Not to wait for something: this is how long the server takes.
    if (++number === 1) await new Promise((resolve) => setTimeout(resolve, firstMs));
    await reply(pageReply(goodPage(number)));
  });
}

Deno.test("scrape counts from the time at which all endpoints were found", () =>
  withFolder(async (folder) => {
    using quick = countingServer();
    using hesitant = hesitantServer(1200);
    const [url, other] = [quick, hesitant].map(({ port }) => `http://127.0.0.1:${port}/metrics`);
    const { code, stderr } = await scrape(
      ...[url as string, other as string, "--duration", "0.3s", "--artifact-dir", folder],
      ...[...QUICK, ...ALL_FORMATS],
    );
    assert.equal(code, 0, stderr);
    const artifacts = await readMetricsArtifacts(folder);
    // The first page is from before the other endpoint was waited for; the second is the reference.
    const counted = countedInWindow(artifacts, url as string, "good_requests");
    assert.equal(counted.pagesBefore, 2);
    const { total } = statsAt(artifacts.json, url as string, "good_requests");
    assert.equal(total, counted.total);
    assert.equal(total, 5 * (endpointInfo(artifacts.json, url as string).total_fetches - 2));
  }));

Deno.test("scrape reads a page that is nowhere but under /prometheus/metrics", () =>
  withFolder(async (folder) => {
    using server = startMetricsFaultServer();
    const { code, stderr } = await scrape(
      ...[server.url("json_here"), "--duration", "0.2s", "--artifact-dir", folder, ...QUICK],
      ...ALL_FORMATS,
    );
    assert.deepEqual([code, stderr], [0, ""]);
    const { json } = await readMetricsArtifacts(folder);
    const moved = server.url("json_here").replace("/metrics", "/prometheus/metrics");
    assert.deepEqual(json.summary.endpoints_configured, [server.url("json_here")]);
    assert.deepEqual(json.summary.endpoints_successful, [moved]);
  }));

Deno.test("scrape tells of a record that cannot be written before it begins", () =>
  withFolder(async (folder) => {
    using server = countingServer();
    const { code, stderr } = await scrape(
      ...[`127.0.0.1:${server.port}`, "--duration", "0.3s", "--artifact-dir", `${folder}/out`],
      ...["--record", `${folder}/missing/pages.jsonl`, ...QUICK, ...ALL_FORMATS],
    );
    assert.equal(code, 1);
    assert.match(stderr, /^error: .*missing\/pages\.jsonl.*\n$/);
    assert.deepEqual(await namesIn(folder), []);
  }));

Deno.test("profile does without server metrics when it is told to", () =>
  withFolder(async (folder) => {
    await using server = startRecordingServer({ hostname: ownAddress() });
    const { code, stderr } = await runCli([
      ...["profile", "--url", server.url, "--model", "mock", "--request-count", "5"],
      ...["--artifact-dir", folder, "--no-server-metrics"],
    ]);
    assert.equal(code, 0, stderr);
    assert.deepEqual((await namesIn(folder)).filter((name) => name.includes("server_metrics")), []);
    assert.deepEqual(server.questions.filter((path) => path.includes("metrics")), []);
  }));
