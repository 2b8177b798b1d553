/** Several runs of one command, as a user has them: repeated runs, sweeps, capacity searches. */

import assert from "node:assert/strict";
import { SEARCH_SCHEMA } from "../../src/report/export/schemas/search_schema.ts";
import { SWEEP_EXPORT_SCHEMA } from "../../src/report/export/schemas/sweep_export_schema.ts";
import { withFolder } from "../support/artifacts.ts";
import { withMock } from "../support/local_mock.ts";
import { endOf } from "../support/profile_run.ts";
import { NO_FLUSH, runCli, spawnCli } from "../support/run_cli.ts";
import { schemaProblems } from "../support/schema_problems.ts";
import { until } from "../support/until.ts";

const SMALL = [
  ...["profile", "--model", "mock-model", "--isl", "16", "--osl", "4", "--request-count", "12"],
  ...["--no-server-metrics", "--no-canaries"],
];

async function cli(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  return await runCli(args, { env: { ...NO_FLUSH, ...env } });
}

// deno-lint-ignore no-explicit-any -- what a reader of the file sees
async function json(path: string): Promise<any> {
  return JSON.parse(await Deno.readTextFile(path));
}

/** The texts of all files below a folder, by their paths. */
async function filesBelow(folder: string, path = ""): Promise<Map<string, string>> {
  const files = new Map<string, string>();
  for await (const { name, isDirectory } of Deno.readDir(`${folder}/${path}`)) {
    if (isDirectory) {
      for (const [at, text] of await filesBelow(folder, `${path}${name}/`)) files.set(at, text);
    } else files.set(path + name, await Deno.readTextFile(`${folder}/${path}${name}`));
  }
  return files;
}

Deno.test("lists in a configuration file are swept as a grid, and the report makes it again", async () => {
  await withMock({}, ({ url }) =>
    withFolder(async (folder) => {
      const config = `${folder}/run.yaml`;
      await Deno.writeTextFile(config, `concurrency: [1, 3]\nosl: "2,4"\nurl: ${url}\n`);
      const directory = `${folder}/sweep`;
      const small = SMALL.filter((word, at) => word !== "--osl" && SMALL[at - 1] !== "--osl");
      const summary = `${folder}/summary.md`;
      const run = await cli([
        ...[...small, "--streaming", "--config", config, "--artifact-dir", directory],
        ...["--slo", "ttft.p99<60s", "latency.p50<0ms"],
      ], { "GITHUB_STEP_SUMMARY": summary });
      assert.equal(run.code, 3, run.stderr);
      const markdown = await Deno.readTextFile(summary);
      assert.equal(markdown, await Deno.readTextFile(`${directory}/sweep.md`));
      assert.match(markdown, /^### inferometer mock-model: sweep, 4 of 4 points\n/);
      assert.equal(markdown.match(/\| \*\*missed\*\* latency\.p50 \|/g)?.length, 4);
      assert.match(run.stdout, /^4\/4 {2}concurrency=3, osl=4 /m);
      assert.match(run.stdout, /frontier/);
      assert.doesNotMatch(run.stdout, /failed/);
      const missed = run.stdout.split("\n").filter((line) => line.startsWith("missed "));
      assert.equal(missed.length, 4, run.stdout);
      assert.match(
        missed[3] as string,
        /^missed {2}concurrency=3, osl=4: latency\.p50 \S+ ms, wanted < 0 ms$/,
      );
      const table = await json(`${directory}/sweep_aggregate/profile_export_aiperf_sweep.json`);
      assert.deepEqual(
        table.per_combination_metrics.map(({ parameters }: { parameters: unknown }) => parameters),
        [1, 3].flatMap((concurrency) => [2, 4].map((osl) => ({ concurrency, osl }))),
      );
      assert.ok(table.pareto_optimal.length > 0);
      const exported = await json(`${directory}/sweep_export.json`);
      assert.deepEqual(schemaProblems(SWEEP_EXPORT_SCHEMA, exported), []);
      assert.deepEqual(
        exported.points.filter((point: { on_frontier: boolean }) => point.on_frontier)
          .map(({ settings }: { settings: unknown }) => settings),
        table.pareto_optimal,
      );
      for (const [index, name] of ["1__osl_2", "1__osl_4", "3__osl_2", "3__osl_4"].entries()) {
        const point = `${directory}/concurrency_${name}`;
        const summary = await json(`${point}/profile_export_aiperf.json`);
        assert.equal(summary.request_count.avg, 12);
        // No point answers from what another one has left in a cache.
        assert.equal(summary.run_info.random_seed, 42 + index);
        await Deno.stat(`${point}/report.html`);
      }
      const page = await Deno.readTextFile(`${directory}/sweep.html`);
      assert.match(page, /href="concurrency_3__osl_4\/report\.html"/);
      const before = await filesBelow(directory);
      for (const name of ["sweep.html", "sweep_aggregate/profile_export_aiperf_sweep.csv"]) {
        await Deno.remove(`${directory}/${name}`);
      }
      await Deno.remove(`${directory}/sweep.md`);
      assert.equal((await cli(["report", directory])).code, 0);
      assert.deepEqual(await filesBelow(directory), before);
      const plotted = await cli(["plot", `${directory}/`, "--format", "svg", "png"]);
      assert.equal(plotted.code, 0, plotted.stderr);
      const names = ["throughput-ttft", "throughput-itl"].flatMap((name) =>
        ["svg", "png"].map((format) => `${directory}/plots/${name}.${format}`)
      );
      assert.deepEqual(plotted.stdout.trim().split("\n"), names);
      const svg = await Deno.readTextFile(`${directory}/plots/throughput-ttft.svg`);
      assert.match(svg, /^<svg [^>]*xmlns=/);
      assert.match(svg, /TTFT p99/);
    }));
});

Deno.test("limits, sessions and turns are swept", async () => {
  await withMock({}, ({ url }) =>
    withFolder(async (folder) => {
      const small = SMALL.filter((word, at) =>
        word !== "--request-count" && SMALL[at - 1] !== "--request-count"
      );
      const { code, stderr } = await cli([
        ...[...small, "--url", url, "--streaming", "--concurrency", "4", "--artifact-dir", folder],
        ...["--num-sessions", "4,6", "--session-turns-mean", "1,2", "--prefill-concurrency", "1,2"],
      ]);
      assert.equal(code, 0, stderr);
      for (const sessions of [4, 6]) {
        for (const turns of [1, 2]) {
          for (const limit of [1, 2]) {
            const point = `num_sessions_${sessions}__prefill_concurrency_${limit}` +
              `__session_turns_mean_${turns}`;
            const summary = await json(`${folder}/${point}/profile_export_aiperf.json`);
            assert.equal(summary.request_count.avg, sessions * turns, point);
            const { profiling } = summary.inferometer.load_shape;
            assert.equal(profiling.prefill_concurrency, limit);
          }
        }
      }
    }));
});

Deno.test("repeated runs have an interval, one warm-up, and a cache reset before each", async () => {
  await withMock({}, ({ url, server }) =>
    withFolder(async (folder) => {
      const { code, stdout, stderr } = await cli([
        ...[...SMALL, "--url", url, "--artifact-dir", folder, "--num-profile-runs", "3"],
        ...["--warmup-request-count", "2", "--reset-kv-cache", "--confidence-level", "0.9"],
      ]);
      assert.equal(code, 0, stderr);
      assert.match(stdout, /90(\.0)? % interval/);
      assert.equal(server.cacheResets, 3);
      const aggregate = await json(`${folder}/aggregate/profile_export_aiperf_aggregate.json`);
      assert.equal(aggregate.metadata.num_successful_runs, 3);
      assert.equal(aggregate.metadata.confidence_level, 0.9);
      const { mean, ci_low, ci_high, t_critical } = aggregate.metrics.request_latency_avg;
      assert.ok(ci_low <= mean && mean <= ci_high);
      assert.ok(Math.abs(t_critical - 2.91999) < 1e-4);
      const phases = await Promise.all([1, 2, 3].map(async (run) => {
        const text = await Deno.readTextFile(
          `${folder}/profile_runs/run_000${run}/profile_export.jsonl`,
        );
        return text.split('"benchmark_phase":"warmup"').length - 1;
      }));
      assert.deepEqual(phases, [2, 0, 0]);
    }));
});

Deno.test("runs end early when they agree, and a server without a reset is named", async () => {
  await withMock({}, ({ url }) =>
    withFolder(async (folder) => {
      const { code, stdout, stderr } = await cli([
        ...[...SMALL, "--url", url, "--artifact-dir", folder, "--num-profile-runs", "9"],
        // The number of requests is the same in all of them.
        ...["--convergence-metric", "request_count"],
      ]);
      assert.equal(code, 0, stderr);
      assert.equal(stdout.match(/^\d\/9 {2}run/gm)?.length, 3);
      // Each of them counts when the command is continued, for its exit code as well.
      const resumed = await cli(["profile", "--resume", folder]);
      assert.equal(resumed.stdout.match(/^\d\/9 {2}run .*kept$/gm)?.length, 3, resumed.stderr);
    }));
  await using server = Deno.serve(
    { port: 0, hostname: "127.0.0.1", onListen() {} },
    async (request) => {
      if (request.method !== "POST" || !request.url.endsWith("/completions")) {
        return new Response("", { status: 404 });
      }
      await request.arrayBuffer();
      return reply();
    },
  );
  await withFolder(async (folder) => {
    const { code, stderr } = await cli([
      ...[...SMALL, "--url", `http://127.0.0.1:${server.addr.port}`, "--artifact-dir", folder],
      ...["--concurrency", "1,2", "--reset-prefix-cache"],
    ]);
    assert.equal(code, 0, stderr);
    assert.match(stderr, /has no endpoint for resetting the prefix cache/);
    assert.match(
      (await json(`${folder}/sweep.json`)).notes.join(),
      /has no endpoint for resetting/,
    );
  });
});

function reply(): Response {
  return Response.json({
    "id": "x",
    "object": "chat.completion",
    "created": 1,
    "model": "m",
    "choices": [{
      "index": 0,
      "message": { "role": "assistant", "content": "a b" },
      "finish_reason": "stop",
    }],
    "usage": { "prompt_tokens": 16, "completion_tokens": 2, "total_tokens": 18 },
  });
}

for (const signal of ["SIGINT", "SIGKILL"] as const) {
  Deno.test({
    name: `a sweep that ${signal} ended is continued where it was, without the secret it was given`,
    ignore: Deno.build.os === "windows",
    fn: () => continued(signal),
  });
}

async function continued(signal: "SIGINT" | "SIGKILL"): Promise<void> {
  // Replies of the second point come when the test is done with it.
  let isHeld = true;
  let arrived = 0;
  await using server = Deno.serve(
    { port: 0, hostname: "127.0.0.1", onListen() {} },
    async (request) => {
      if (request.method !== "POST") return new Response("", { status: 404 });
      await request.arrayBuffer();
      arrived++;
      if (arrived > 12) await until("leave", () => Promise.resolve(!isHeld));
      return reply();
    },
  );
  await withFolder(async (folder) => {
    const url = `http://127.0.0.1:${server.addr.port}`;
    const directory = `${folder}/sweep`;
    const key = ["--api-key", "sk-no-file-has-this"];
    const args = [...SMALL, "--url", url, "--concurrency", "1,2,3", ...key];
    const child = spawnCli([...args, "--artifact-dir", directory], { env: { ...NO_FLUSH } });
    const end = endOf(child);
    await until("the second point", () => Promise.resolve(arrived > 12));
    child.kill(signal);
    const { code, stdout } = await end;
    isHeld = false;
    assert.equal(code, signal === "SIGINT" ? 130 : 137);
    if (signal === "SIGINT") assert.match(stdout, /--resume/);
    assert.equal((await json(`${directory}/sweep.json`)).isComplete, false);
    for (const [path, text] of await filesBelow(directory)) {
      assert.ok(!text.includes("sk-no-file-has-this"), path);
    }
    const first = `${directory}/concurrency_1/profile_export_aiperf.json`;
    const kept = await Deno.readTextFile(first);

    assert.match((await cli(["profile", "--resume", directory])).stderr, /--api-key: .*again/);
    const other = await cli(["profile", "--resume", directory, ...key, "--concurrency", "1,9"]);
    assert.match(other.stderr, /--resume: .*other runs/);
    const resumed = await cli(["profile", "--resume", directory, ...key, "--no-canaries"]);
    assert.equal(resumed.code, 0, resumed.stderr);
    assert.match(resumed.stdout, /^1\/3 .*kept$/m);
    assert.match(resumed.stdout, /^2\/3 (?!.*kept)/m);
    assert.equal(await Deno.readTextFile(first), kept);
    const table = await json(`${directory}/sweep_aggregate/profile_export_aiperf_sweep.json`);
    assert.equal(table.num_successful_runs, 3);
    assert.equal(table.metadata.is_complete, true);
    // Nothing is left of a writer that was killed.
    const names = await Array.fromAsync(Deno.readDir(directory), ({ name }) => name);
    assert.deepEqual(names.filter((name) => /claim|lock|tmp|~/.test(name)), []);
  });
}

Deno.test("a search finds the load up to which a server refuses nothing", async () => {
  const capacity = 5;
  let inFlight = 0;
  await using server = Deno.serve(
    { port: 0, hostname: "127.0.0.1", onListen() {} },
    async (request) => {
      if (request.method !== "POST") return new Response("", { status: 404 });
      await request.arrayBuffer();
      if (inFlight >= capacity) return new Response("busy", { status: 500 });
      inFlight++;
      // Long enough that all of a loop's requests meet.
      await new Promise((resolve) => setTimeout(resolve, 30));
      inFlight--;
      return reply();
    },
  );
  await withFolder(async (folder) => {
    const args = [
      ...["profile", "--url", `http://127.0.0.1:${server.addr.port}`, "--model", "m"],
      ...["--isl", "16", "--request-count", "40", "--no-server-metrics", "--no-canaries"],
      ...["--concurrency-max", "32"],
    ];
    const named = `${folder}/search`;
    const search = ["--search", "max-concurrency", "--slo", "error_rate<1%"];
    const found = await cli([...args, ...search, "--artifact-dir", named]);
    assert.equal(found.code, 0, found.stderr);
    assert.match(found.stdout, /^search {4}5 in flight: error_rate 0 % < 1 %; 6 misses it/m);
    const answer = await json(`${named}/search_export.json`);
    assert.deepEqual(
      [answer.variable, answer.answer, answer.at_least, answer.limited_by, answer.interval],
      ["concurrency", 5, false, "error_rate", [5, 6]],
    );
    assert.deepEqual(schemaProblems(SEARCH_SCHEMA, answer), []);
    assert.equal(answer.confirmed, true);
    const values = answer.points.map(({ value }: { value: number }) => value);
    assert.deepEqual(values.slice(0, 4), [1, 2, 4, 8]);
    for (const { folder: run } of answer.points) await Deno.stat(`${named}/${run}/gate.json`);
    const before = await filesBelow(named);
    assert.equal((await cli(["report", named])).code, 0);
    assert.deepEqual(await filesBelow(named), before);

    // AIPerf's words for the same.
    const recipe = [
      ...["--search-recipe", "max-concurrency-under-sla", "--error-rate-sla", "0.01"],
      ...["--concurrency-min", "6", "--concurrency-max", "9"],
    ];
    const none = await cli([...args.slice(0, -2), ...recipe, "--artifact-dir", `${folder}/none`]);
    assert.equal(none.code, 3, none.stderr);
    assert.match(none.stdout, /not even 6 in flight: error_rate .*, wanted < 1 %/);
    assert.equal((await json(`${folder}/none/search_export.json`)).answer, null);
  });
});

Deno.test("a search says nothing about loads at which there was no server, and goes on later", async () => {
  let isThere = true;
  let arrived = 0;
  await using server = Deno.serve(
    { port: 0, hostname: "127.0.0.1", onListen() {} },
    async (request) => {
      if (request.method !== "POST") return new Response("", { status: 404 });
      await request.arrayBuffer();
      arrived++;
      return isThere && arrived <= 24 ? reply() : new Response("gone", { status: 404 });
    },
  );
  await withFolder(async (folder) => {
    const url = `http://127.0.0.1:${server.addr.port}`;
    const search = ["--search", "max-concurrency", "--slo", "error_rate<1%"];
    const lost = await cli([...SMALL, "--url", url, ...search, "--artifact-dir", folder]);
    assert.equal(lost.code, 1, lost.stderr);
    assert.match(lost.stderr, /The search ends at concurrency=4: the first 10 requests were all/);
    assert.match(lost.stdout, /^search {4}at least 2 in flight: /m);
    assert.match(lost.stdout, /--resume/);
    const half = await json(`${folder}/search_export.json`);
    assert.deepEqual([half.answer, half.limited_by, half.is_complete], [2, null, false]);
    assert.deepEqual(schemaProblems(SEARCH_SCHEMA, half), []);
    arrived = -1000;
    const resumed = await cli(["profile", "--resume", folder]);
    isThere = false;
    assert.equal(resumed.code, 0, resumed.stderr);
    assert.match(resumed.stdout, /^ 2 .*kept$/m);
    assert.match(resumed.stdout, /^ 3 (?!.*kept)/m);
    // A run of twelve requests has no more than twelve in flight.
    assert.match(
      resumed.stdout,
      /^search {4}at least 12 in flight: .*larger\s+than\s+12\s+was\s+tested/ms,
    );
  });
});

Deno.test("a search does not blame the client for what nobody measured", () =>
  withMock({}, ({ url }) =>
    withFolder(async (folder) => {
      const search = ["--search", "max-concurrency", "--slo", "latency.p50<0ms"];
      const run = await cli([...SMALL, "--url", url, ...search, "--artifact-dir", folder]);
      assert.equal(run.code, 3, run.stderr);
      assert.match(run.stdout, /not even 1 in flight: latency\.p50 .* wanted < 0 ms$/m);
      const { limited_by: by, points } = await json(`${folder}/search_export.json`);
      assert.equal(by, "latency.p50");
      assert.equal(points[0].limited_by_client, false);
    })));

Deno.test("a sweep makes a run again that was stopped, or whose server went away", async () => {
  let fails = true;
  await using server = Deno.serve(
    { port: 0, hostname: "127.0.0.1", onListen() {} },
    async (request) => {
      if (request.method !== "POST") return new Response("", { status: 404 });
      await request.arrayBuffer();
      fails = !fails;
      return fails ? new Response("no", { status: 500 }) : reply();
    },
  );
  await withFolder(async (folder) => {
    const url = `http://127.0.0.1:${server.addr.port}`;
    const args = ["--url", url, "--concurrency", "1,2", "--max-error-rate", "0.1"];
    const small = SMALL.with(SMALL.indexOf("--request-count") + 1, "30");
    const stopped = await cli([...small, ...args, "--artifact-dir", folder]);
    assert.equal(stopped.code, 1);
    assert.match(stopped.stderr, /concurrency=1 was stopped: 10 of 20 requests failed/);
    assert.doesNotMatch(stopped.stdout, /best throughput/);
    assert.match(stopped.stdout, /│ failed │ verdict +│/);
    assert.match(stopped.stdout, /^│ +1 │ +10 │ no result │/m);
    const markdown = await Deno.readTextFile(`${folder}/sweep.md`);
    assert.match(markdown, /^### inferometer mock-model: sweep, 0 of 2 points/);
    const resumed = await cli(["profile", "--resume", folder]);
    assert.equal(resumed.code, 1);
    assert.doesNotMatch(resumed.stdout, /^\d\/2 .*kept$/m);
  });
});

Deno.test("a search for a rate says that no objective counts how long arrivals wait for a slot", () =>
  withMock({}, ({ url }) =>
    withFolder(async (folder) => {
      const search = async (slo: string): Promise<string> => {
        const { code, stdout, stderr } = await cli([
          ...[...SMALL, "--url", url, "--artifact-dir", `${folder}/${slo.split(".")[0]}`],
          ...["--search", "max-request-rate", "--concurrency", "2", "--slo", slo],
          ...["--request-rate-min", "100", "--request-rate-max", "200"],
        ]);
        assert.equal(code, 0, stderr);
        return stdout;
      };
      const note = /note: Arrivals wait for one of the 2 slots of --concurrency/;
      assert.match(await search("latency.p50<60s"), note);
      assert.doesNotMatch(await search("effective_latency.p50<60s"), note);
    })));

Deno.test("runs that are over before their first arrival say so", () =>
  withMock({}, ({ url }) =>
    withFolder(async (folder) => {
      const args = SMALL.toSpliced(SMALL.indexOf("--request-count"), 2);
      const run = await cli([
        ...[...args, "--url", url, "--artifact-dir", folder, "--request-rate", "0.001,0.002"],
        ...["--benchmark-duration", "0.01"],
      ]);
      assert.equal(run.code, 1, run.stdout);
      assert.match(run.stderr, /No request was sent: the runs were over before their first one/);
    })));

Deno.test("a search ends after the runs that it may make, also where none of them said anything", () =>
  withMock({}, ({ url }) =>
    withFolder(async (folder) => {
      const args = SMALL.toSpliced(SMALL.indexOf("--request-count"), 2);
      const run = await cli([
        ...[...args, "--url", url, "--artifact-dir", folder, "--benchmark-duration", "0.01"],
        ...["--search", "max-request-rate", "--slo", "latency.p50<60s"],
        ...["--request-rate-min", "0.001", "--search-max-iterations", "2"],
      ]);
      assert.equal(run.code, 1, run.stdout);
      const rates = [...run.stdout.matchAll(/^ ?(\d+) +(0\.\S+)/gm)];
      assert.deepEqual(rates.map(([, index, rate]) => [index, rate]), [["1", "0.001"], [
        "2",
        "0.001",
      ]]);
    })));

Deno.test("what several runs cannot be is refused before anything is sent", async () => {
  const refused: [readonly string[], RegExp][] = [
    [["--concurrency", "1,1"], /--concurrency: Names a value twice/],
    [["--concurrency", "1,x"], /--concurrency: Must be a number/],
    [["--concurrency", "1,2", "--isl", "1,2,3", "--sweep-type", "zip"], /zip needs lists/],
    [["--search-recipe", "pareto-sweep"], /pareto-sweep: It is a sweep/],
    [["--search", "max-request-rate"], /--search: Needs --slo/],
    [
      [
        ...["--search", "max-concurrency", "--slo", "error_rate<1%"],
        ...["--concurrency-min", "12", "--request-count", "12"],
      ],
      /--request-count: Must be above the smallest concurrency of the search, 12: got 12/,
    ],
    [["--concurrency", "1,2", "--input-file", "-"], /Standard input can be read once/],
    [["--resume", "/nowhere"], /has no runs to continue/],
    [["--num-profile-runs", "2", "--convergence-metric", "nix"], /Unknown metric "nix"/],
  ];
  for (const [args, message] of refused) {
    const { code, stderr } = await cli(["profile", "--model", "m", "--url", "http://x:1", ...args]);
    assert.equal(code, 2, stderr);
    assert.match(stderr, message);
  }
});
