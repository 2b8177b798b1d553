/** The schemas against files of real runs, and against the same files damaged. */

import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import assert from "node:assert/strict";
import { latencyDistribution } from "../../../../src/mock/latency_distribution.ts";
import type { MockOptions } from "../../../../src/mock/mock_options.ts";
import { SCHEMAS } from "../../../../src/report/export/schemas/schemas.ts";
import { withFolder } from "../../../support/artifacts.ts";
import { withMock } from "../../../support/local_mock.ts";
import { runCli, spawnCli } from "../../../support/run_cli.ts";
import { until } from "../../../support/until.ts";

// deno-lint-ignore no-explicit-any -- what a reader of a file sees
type Json = any;

const VALIDATORS: ReadonlyMap<string, ValidateFunction> = new Map(
  [...SCHEMAS].map(([name, schema]) => [
    name,
    // Conditions speak of properties whose types are told elsewhere.
    new Ajv2020({ strictTypes: false, allErrors: true }).compile(schema),
  ]),
);

function validatorOf(name: string): ValidateFunction {
  return VALIDATORS.get(name) as ValidateFunction;
}

/** The documents of a run's files: one, or one for each line. */
async function readDocuments(folder: string): Promise<Map<string, Json[]>> {
  const documents = new Map<string, Json[]>();
  for await (const { name } of Deno.readDir(folder)) {
    if (!/\.jsonl?$/.test(name)) continue;
    const text = await Deno.readTextFile(`${folder}/${name}`);
    const texts = name.endsWith(".jsonl") ? text.trimEnd().split("\n") : [text];
    documents.set(name, texts.map((text) => JSON.parse(text)));
  }
  return documents;
}

function validateAll(documents: ReadonlyMap<string, readonly Json[]>): void {
  for (const [name, found] of documents) {
    const validate = VALIDATORS.get(name);
    assert.ok(validate !== undefined, `${name} has no schema`);
    for (const document of found) {
      assert.ok(
        validate(document),
        `${name}: ${JSON.stringify(validate.errors?.slice(0, 3), null, 1)}`,
      );
    }
  }
}

/** A run, and what must be seen in its files so that the schemas are tested by it. */
interface SchemaCase {
  readonly name: string;
  readonly mock: Partial<MockOptions>;
  readonly args: readonly string[];
  readonly code?: number;
  readonly shows: (documents: ReadonlyMap<string, readonly Json[]>) => void;
}

const EVERY_FILE = ["--export-level", "raw", "--slice-duration", "0.02"];
const PACED = { ttft: latencyDistribution("5"), itl: latencyDistribution("1") };

function summaryOf(documents: ReadonlyMap<string, readonly Json[]>): Json {
  return documents.get("profile_export_aiperf.json")?.[0];
}

function kindsOf(documents: ReadonlyMap<string, readonly Json[]>): Set<string> {
  return new Set(summaryOf(documents).error_summary.map((group: Json) => group.error_details.kind));
}

const FULL_RUN: SchemaCase = {
  name: "streams with reasoning, warm-up, slices, objectives and traces",
  mock: { ...PACED, reasoningTokens: 2 },
  args: [
    ...["--streaming", "--concurrency", "3", "--request-count", "24", "--osl", "6", "--isl", "20"],
    ...["--warmup-request-count", "2", "--goodput", "ttft:1000 itl:100", "--export-http-trace"],
    ...["--header", "X-Tenant: a", "--extra-inputs", "temperature:0", ...EVERY_FILE],
    ...["--server-metrics-formats", "json", "jsonl"],
    ...["--slo", "latency.p99<1h"],
  ],
  shows(documents) {
    const summary = summaryOf(documents);
    assert.equal(summary.request_count.avg, 24);
    assert.ok(summary.warmup_metrics.request_latency.count === 2);
    assert.ok("goodput" in summary && "reasoning_token_count" in summary);
    assert.ok(documents.get("profile_export_aiperf_timeslices.json")?.[0].timeslices.length > 1);
    assert.equal(documents.get("profile_export.jsonl")?.length, 26);
    // What is about several runs is no file of one; nothing goes to other systems here.
    const others = [
      ...["comparison.json", "exports.json", "search_export.json"],
      ...["profile_export_aiperf_sweep.json", "sweep_export.json", "compare.json"],
      "sessions.jsonl",
    ];
    const ofRuns = [...SCHEMAS.keys()].filter((name) => !others.includes(name));
    assert.deepEqual([...documents.keys()].sort(), ofRuns.sort());
  },
};

const CASES: readonly SchemaCase[] = [
  FULL_RUN,
  {
    name: "sessions of several turns",
    mock: { ...PACED, prefixCache: true },
    args: [
      ...["--streaming", "--concurrency", "2", "--num-sessions", "4", "--osl", "6", "--isl", "20"],
      ...["--session-turns-mean", "3", ...EVERY_FILE],
    ],
    shows(documents) {
      const sessions = documents.get("sessions.jsonl") ?? [];
      assert.equal(sessions.length, 4);
      const records = documents.get("profile_export.jsonl") ?? [];
      const { after, gap, tokens_cached_ideal: ideal } =
        records.find(({ metadata }) => metadata.turn_index === 2).metadata;
      assert.deepEqual(after, [1]);
      assert.ok(gap >= 0 && ideal > 0);
    },
  },
  {
    name: "whole replies",
    mock: {},
    args: ["--request-count", "6", "--isl", "20", ...EVERY_FILE],
    shows(documents) {
      assert.ok(!("time_to_first_token" in summaryOf(documents)));
      assert.ok("text" in documents.get("profile_export_raw.jsonl")?.[0].responses[0]);
    },
  },
  {
    name: "arrivals at a rate, counted by the server, carried by fetch",
    mock: PACED,
    args: [
      ...["--streaming", "--request-rate", "200", "--request-count", "20", "--isl", "20"],
      ...["--use-server-token-count", "--transport", "fetch", "--endpoint-type", "completions"],
      ...["--concurrency", "2", "--arrival-pattern", "gamma", "--arrival-smoothness", "2"],
      ...EVERY_FILE,
    ],
    shows(documents) {
      assert.ok("effective_latency" in summaryOf(documents));
      assert.ok("queue_wait_ms" in summaryOf(documents).client_health);
      assert.ok(!("http_req_total" in summaryOf(documents)));
    },
  },
  {
    name: "failures of several kinds",
    mock: {
      seed: 7,
      faults: new Map(
        (["429", "500", "close", "malformed", "in-band"] as const).map((kind) => [kind, 0.12]),
      ),
    },
    args: [
      ...["--streaming", "--request-count", "80", "--concurrency", "2", "--osl", "8"],
      ...["--isl", "20", "--export-http-trace", ...EVERY_FILE],
    ],
    shows(documents) {
      const kinds = ["http_status", "malformed_chunk", "stream_error", "truncated"];
      assert.deepEqual([...kindsOf(documents)].sort(), kinds);
    },
  },
  {
    name: "a run without any valid reply",
    mock: { faults: new Map([["500", 1]]) },
    args: ["--request-count", "5", "--warmup-request-count", "2", "--isl", "20", ...EVERY_FILE],
    code: 1,
    shows(documents) {
      assert.equal(summaryOf(documents).request_count.avg, 0);
      assert.equal(summaryOf(documents).error_request_count.avg, 5);
    },
  },
  {
    name: "requests cut off at the end",
    mock: { ttft: latencyDistribution("60000") },
    args: [
      ...["--streaming", "--concurrency", "2", "--benchmark-duration", "1", "--isl", "20"],
      ...["--benchmark-grace-period", "0", ...EVERY_FILE],
    ],
    code: 1,
    shows(documents) {
      assert.deepEqual([...kindsOf(documents)], ["cut_off"]);
      const records = documents.get("profile_export.jsonl") ?? [];
      assert.ok(records.length > 0 && records.length <= 2);
      for (const { metadata } of records) assert.ok("cancellation_time_ns" in metadata);
    },
  },
  {
    name: "connections refused",
    mock: {},
    args: ["--request-count", "3", "--isl", "20", "--url", "http://127.0.0.1:1", ...EVERY_FILE],
    code: 1,
    shows: (documents) => assert.deepEqual([...kindsOf(documents)], ["connect"]),
  },
];

function profileArgs(url: string, folder: string, args: readonly string[]): string[] {
  const given = args.includes("--url") ? args : ["--url", url, ...args];
  const quick = ["--server-metrics-flush-period", "0"];
  return ["profile", "--model", "m", "--ui", "none", "--artifact-dir", folder, ...quick, ...given];
}

for (const { name, mock, args, code = 0, shows } of CASES) {
  Deno.test(`SCHEMAS describe the files of ${name}`, () =>
    withMock(mock, ({ url }) =>
      withFolder(async (folder) => {
        const result = await runCli(profileArgs(url, folder, args));
        assert.equal(result.code, code, result.stdout + result.stderr);
        const documents = await readDocuments(folder);
        shows(documents);
        validateAll(documents);
      })));
}

Deno.test(
  "SCHEMAS describe the files of an interrupted run",
  {
    ignore: Deno.build.os === "windows",
  },
  () =>
    withMock({ ttft: latencyDistribution("20") }, ({ url, stats }) =>
      withFolder(async (folder) => {
        const child = spawnCli(profileArgs(url, folder, [
          ...["--streaming", "--concurrency", "2", "--benchmark-duration", "600", "--isl", "20"],
          ...["--osl", "4", "--num-dataset-entries", "10", ...EVERY_FILE],
        ]));
        const texts = Promise.all(
          [child.stdout, child.stderr].map((stream) => new Response(stream).text()),
        );
        await until("some replies", async () => (await stats()).succeeded >= 4);
        child.kill("SIGINT");
        const { code } = await child.status;
        assert.equal(code, 130, (await texts).join("\n"));
        const documents = await readDocuments(folder);
        assert.equal(summaryOf(documents).was_cancelled, true);
        assert.equal(summaryOf(documents).is_complete, false);
        validateAll(documents);
      })),
);

/** Where a value lies in a document. */
type Path = readonly (string | number)[];

/** The places of all values in a document but those under `open` keys, which hold anything. */
function* places(value: Json, open: ReadonlySet<string>, path: Path = []): Generator<Path> {
  if (path.length > 0) yield path;
  if (typeof value !== "object" || value === null) return;
  for (const key of Object.keys(value)) {
    if (open.has(key)) continue;
    const step = Array.isArray(value) ? Number(key) : key;
    // All elements are alike; the first ones stand for the rest.
    if (typeof step === "number" && step > 1) break;
    yield* places(value[key], open, [...path, step]);
  }
}

/** A copy of a document in which `change` was done to the object or list that holds a place. */
function damaged(document: Json, path: Path, change: (holder: Json, key: string | number) => void) {
  const copy = structuredClone(document);
  let holder = copy;
  for (const step of path.slice(0, -1)) holder = holder[step];
  change(holder, path.at(-1) as string | number);
  return copy;
}

/** What may hold anything, so that no damage shows. */
const OPEN = new Set([
  "payload",
  "payloads",
  "request_headers",
  "headers",
  "server_metrics",
  "input_config",
]);

Deno.test("SCHEMAS refuse damaged documents", async (t) => {
  await withMock(FULL_RUN.mock, ({ url }) =>
    withFolder(async (folder) => {
      const { code, stderr } = await runCli(profileArgs(url, folder, FULL_RUN.args));
      assert.equal(code, 0, stderr);
      const documents = await readDocuments(folder);
      for (const [name, found] of documents) {
        await t.step(name, () => refusesDamage(name, found.at(-1)));
      }
      await t.step("settings", () => refusesDamagedSettings(summaryOf(documents)));
      await t.step("contradictions", () => refusesContradictions(documents));
    }));
});

/** A document whose lists have no more elements than {@linkcode places} looks at. */
function shortened(value: Json): Json {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.slice(0, 2).map(shortened);
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, shortened(one)]));
}

function refusesDamage(name: string, whole: Json): void {
  const validate = new Ajv2020({ strictTypes: false }).compile(SCHEMAS.get(name) as Json);
  const document = shortened(whole);
  assert.ok(validate(document), JSON.stringify(validate.errors));
  let tried = 0;
  for (const path of places(document, OPEN)) {
    const place = `${name} ${path.join("/")}`;
    const key = path.at(-1) as string | number;
    // In place and taken back again: copies of so many would take most of the time.
    const holder = path.slice(0, -1).reduce<Json>((found, step) => found[step], document);
    const value = holder[key];
    holder[key] = typeof value === "object" && value !== null ? 3 : { "damaged": true };
    assert.equal(validate(document), false, `${place} may have any type`);
    holder[key] = value;
    if (typeof key === "string") {
      holder["stranger"] = { "unexpected": ["anything"] };
      assert.equal(validate(document), false, `beside ${place} anything may stand`);
      delete holder["stranger"];
    }
    tried++;
  }
  assert.ok(validate(document), "all damage was taken back");
  assert.ok(tried > 3, `only ${tried} places of ${name} were tried`);
  for (const key of requiredOf(name)) {
    const without = damaged(document, [key], (holder) => {
      delete holder[key];
    });
    assert.equal(validate(without), false, `${name} may lack ${key}`);
  }
}

function requiredOf(name: string): string[] {
  return SCHEMAS.get(name)?.["required"] as string[];
}

function refusesDamagedSettings(summary: Json): void {
  const validate = validatorOf("profile_export_aiperf.json");
  const damages: [Path, unknown][] = [
    [["input_config", "endpoint", "urls"], []],
    [["input_config", "endpoint", "streaming"], "yes"],
    [["input_config", "phases", 0, "kind"], "cooldown"],
    [["input_config", "phases", 0, "concurrency"], 0],
    [["input_config", "datasets", 0, "prompts", "isl", "mean"], -1],
    [["input_config", "artifacts", "records"], ["csv"]],
    [["input_config", "endpoint", "extra"], []],
    [["input_config", "slos", "time_to_first_token"], "1000"],
    [["input_config", "datasets", 0, "random_seed"], 0.5],
    [["inferometer", "transport"], "http"],
    [["input_config", "runtime", "workers"], 0],
  ];
  for (const [path, value] of damages) {
    const wrong = damaged(summary, path, (holder, key) => {
      assert.notEqual(holder[key], undefined, `${path.join("/")} is not there`);
      holder[key] = value;
    });
    assert.equal(validate(wrong), false, `${path.join("/")} may be ${JSON.stringify(value)}`);
  }
}

/** Documents whose parts are right, each for itself, but not together. */
function refusesContradictions(documents: ReadonlyMap<string, readonly Json[]>): void {
  const summary = summaryOf(documents);
  const record = documents.get("profile_export.jsonl")?.at(-1);
  const error = { "type": "Too Many Requests", "message": "m", "kind": "http_status" };
  const cases: [string, Json, Path, unknown][] = [
    ["profile_export_aiperf.json", summary, ["time_to_first_token", "unit"], "sec"],
    ["profile_export_aiperf.json", summary, ["request_count", "avg"], 2.5],
    ["profile_export_aiperf.json", summary, ["time_to_first_token"], { "unit": "ms", "avg": 1 }],
    ["profile_export_aiperf.json", summary, ["schema_version"], "1.3"],
    ["profile_export_aiperf.json", summary, ["start_time"], "2026-11-21T04:59:16.230500"],
    ["profile_export_aiperf.json", summary, ["error_summary"], [{
      "error_details": error,
      "count": 1,
    }]],
    ["profile_export_aiperf.json", summary, ["client_health"], {
      ...summary.client_health,
      "ok": summary.client_health.problems.length > 0,
    }],
    ["profile_export.jsonl", record, ["error"], { ...error, "code": 429 }],
    ["profile_export.jsonl", record, ["metrics", "error_isl"], { "value": 3, "unit": "tokens" }],
    ["profile_export.jsonl", record, ["metadata", "benchmark_phase"], "warmup"],
    ["profile_export.jsonl", record, ["metadata", "was_cancelled"], true],
  ];
  for (const [name, document, path, value] of cases) {
    const wrong = damaged(document, path, (holder, key) => {
      holder[key] = value;
    });
    assert.equal(validatorOf(name)(wrong), false, `${path.join("/")}: ${JSON.stringify(value)}`);
  }
}

Deno.test("SCHEMAS explain every property and state every unit", () => {
  const unexplained: string[] = [];
  const visit = (schema: Json, path: string): void => {
    if (typeof schema !== "object" || schema === null) return;
    for (const [name, property] of Object.entries<Json>(schema.properties ?? {})) {
      if (/\/(if|then|else|not)(\/|$)/.test(path)) continue;
      const refines = path.endsWith("!");
      if (!("description" in property) && !("$ref" in property) && !refines) {
        unexplained.push(`${path}/${name}`);
      }
      visit(property, `${path}/${name}${"$ref" in property ? "!" : ""}`);
      const isTime = /_(ns|ms|seconds)$/.test(name) && !("$ref" in property);
      if (isTime && !/nanoseconds|milliseconds|seconds/.test(property.description)) {
        unexplained.push(`${path}/${name} has no unit`);
      }
    }
    for (const key of ["items", "if", "then", "else", "not"]) visit(schema[key], `${path}/${key}`);
    for (const [name, part] of Object.entries(schema.$defs ?? {})) visit(part, `${path}#${name}`);
  };
  for (const [name, schema] of SCHEMAS) {
    assert.equal(schema["$schema"], "https://json-schema.org/draft/2020-12/schema");
    assert.match(String(schema["title"]), new RegExp(name.replace(".", "\\.")));
    visit(schema, name);
  }
  assert.deepEqual(unexplained, []);
});

Deno.test("SCHEMAS are plain JSON that any validator can be given", () => {
  for (const [name, schema] of SCHEMAS) {
    assert.deepEqual(JSON.parse(JSON.stringify(schema)), schema, name);
  }
});
