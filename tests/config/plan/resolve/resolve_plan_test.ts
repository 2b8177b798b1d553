import assert from "node:assert/strict";
import { inputConfig } from "../../../../src/report/export/summary/input_config.ts";
import type { ProfileOptions } from "../../../../src/config/options/profile/profile_types.ts";
import { specsOf } from "../../../../src/config/options/option.ts";
import { isSweepable } from "../../../../src/config/options/parse_value.ts";
import { PROFILE_OPTIONS } from "../../../../src/config/options/profile/profile_options.ts";
import { planLike } from "../../../../src/config/plan/resolve/plan_like.ts";
import { type PlanContext, resolvePlan } from "../../../../src/config/plan/resolve/resolve_plan.ts";
import type { RunPlan } from "../../../../src/config/plan/run_plan.ts";
import { planHash } from "../../../../src/results/collect/run_manifest.ts";
import { UsageError } from "../../../../src/config/options/usage_error.ts";

const CONTEXT: PlanContext = {
  cores: 8,
  cliCommand: "inferometer profile",
  findModel: () => Promise.resolve("found-model"),
};
const LOCAL = { url: ["http://127.0.0.1:8000"], model: "m" };

function plan(options: ProfileOptions = {}): Promise<RunPlan> {
  return resolvePlan({ ...LOCAL, ...options }, CONTEXT);
}

async function refuses(options: ProfileOptions, message: RegExp): Promise<void> {
  await assert.rejects(() => plan(options), (error) => {
    assert.ok(error instanceof UsageError, String(error));
    assert.match(error.message, message);
    assert.ok(!error.message.includes("\n"));
    return true;
  });
}

Deno.test("resolvePlan tells of options that mean nothing to an API of results, and leaves them out", async () => {
  const warnings: string[] = [];
  const options = {
    endpointType: "nim_rankings",
    sharedSystemPromptLength: 20,
    applyChatTemplate: true,
    cacheBust: "system-prefix",
    sessionTurnsMean: 3,
    osl: 10,
    streaming: true,
    randomSeed: 1,
  } as const;
  const context = { ...CONTEXT, onWarning: (text: string) => void warnings.push(text) };
  const { dataset, cacheBust, appliesChatTemplate } = await resolvePlan(
    { ...LOCAL, ...options },
    context,
  );
  const told = warnings.map((text) => /^(--\S+) has no effect: endpoint type nim/.exec(text)?.[1]);
  const flags = ["shared-system-prompt-length", "cache-bust", "apply-chat-template"];
  for (const flag of [...flags, "session-turns-mean", "osl", "streaming"]) {
    assert.ok(told.includes(`--${flag}`), `${flag}: ${warnings}`);
  }
  assert.equal(cacheBust ?? appliesChatTemplate, undefined);
  const plain = await plan({ endpointType: "nim_rankings", randomSeed: 1 });
  assert.deepEqual({ ...dataset, outputTokensMean: undefined }, {
    ...plain.dataset,
    outputTokensMean: undefined,
  });
  // An API of prompts and texts would be measured otherwise with them.
  await refuses({ endpointType: "kserve", sharedSystemPromptLength: 20 }, /takes no messages/);
  await refuses({ endpointType: "ollama-generate", sessionTurnsMean: 3 }, /one prompt at a time/);
});

Deno.test("resolvePlan fills in defaults", async () => {
  const { phases, workers, dataset, output, requestTimeoutNs, maxErrorRate } = await plan();
  assert.deepEqual(phases, [{
    kind: "profiling",
    load: { loop: "closed", concurrency: 1 },
    requestCount: 100,
    durationNs: Infinity,
    graceNs: Infinity,
  }]);
  assert.equal(workers, 1);
  assert.equal(requestTimeoutNs, 21_600e9);
  assert.equal(maxErrorRate, 1);
  assert.equal(output.directory, "artifacts/m-openai-chat-concurrency1");
  assert.ok(dataset.source === "synthetic");
  const { salt, ...rest } = dataset;
  assert.equal(typeof salt, "number", "prompts are other ones in each command");
  assert.deepEqual(rest, {
    source: "synthetic",
    inputTokensMean: 550,
    inputTokensStddev: 0,
    outputTokensMean: undefined,
    outputTokensStddev: 0,
    entries: 100,
    warmupEntries: 0,
  });
});

Deno.test("resolvePlan sends ten times the concurrency, AIPerf's defaults twice, unless another stop is given", async () => {
  const count = async (options: ProfileOptions) =>
    (await plan(options)).phases.at(-1)?.requestCount;
  assert.equal(await count({ concurrency: 50 }), 500);
  assert.equal(await count({ concurrency: 3 }), 100);
  assert.equal(await count({ concurrency: 50, defaults: "aiperf" }), 100);
  assert.equal(await count({ concurrency: 3, defaults: "aiperf" }), 10);
  assert.equal(await count({ concurrency: 50, requestCount: 7 }), 7);
  assert.equal(await count({ concurrency: 50, benchmarkDuration: 5 }), Infinity);
  assert.equal(await count({ benchmarkDuration: 5, requestCount: 7 }), 7);
});

Deno.test("resolvePlan gives running requests thirty seconds after a duration, or what is asked", async () => {
  const grace = async (options: ProfileOptions) => (await plan(options)).phases.at(-1)?.graceNs;
  assert.equal(await grace({ benchmarkDuration: 5 }), 30e9);
  assert.equal(await grace({ benchmarkDuration: 5, benchmarkGracePeriod: 0 }), 0);
  assert.equal(await grace({ benchmarkDuration: 5, benchmarkGracePeriod: Infinity }), Infinity);
  assert.equal(await grace({ requestCount: 5 }), Infinity);
});

Deno.test("resolvePlan makes an open loop of a rate, gamma of a smoothness", async () => {
  const load = async (options: ProfileOptions) => (await plan(options)).phases.at(-1)?.load;
  assert.deepEqual(await load({ requestRate: 5 }), {
    loop: "open",
    ratePerSecond: 5,
    arrivalPattern: "poisson",
    smoothness: 1,
    concurrency: Infinity,
  });
  assert.deepEqual(await load({ requestRate: 5, arrivalSmoothness: 0.5, concurrency: 3 }), {
    loop: "open",
    ratePerSecond: 5,
    arrivalPattern: "gamma",
    smoothness: 0.5,
    concurrency: 3,
  });
});

Deno.test("resolvePlan sends as fast as it can at an infinite rate: there is always room for one", async () => {
  const loads = async (options: ProfileOptions) =>
    (await plan({ requestRate: Infinity, ...options })).phases.map(({ load }) => load);
  assert.deepEqual(await loads({}), [{ loop: "closed", concurrency: 100 }]);
  assert.deepEqual(await loads({ requestCount: 70 }), [{ loop: "closed", concurrency: 70 }]);
  assert.deepEqual(await loads({ concurrency: 4, benchmarkDuration: 9 }), [
    { loop: "closed", concurrency: 4 },
  ]);
  assert.deepEqual(
    await loads({ requestRate: 5, warmupRequestRate: Infinity, warmupRequestCount: 3 }).then((
      [warmup],
    ) => warmup),
    { loop: "closed", concurrency: 3 },
  );
  await refuses(
    { requestRate: Infinity, benchmarkDuration: 9 },
    /^--request-rate: inf needs --concurrency or a number of requests$/,
  );
  await refuses(
    { requestRate: 5, warmupRequestRate: Infinity, warmupDuration: 9 },
    /^--warmup-request-rate: inf needs --warmup-concurrency or a number of requests$/,
  );
});

Deno.test("resolvePlan has nothing grow to an infinite rate", async () => {
  await refuses(
    { requestRate: Infinity, requestRateRampDuration: 5 },
    /^--request-rate-ramp-duration: Needs a rate that is a number: got inf$/,
  );
  const warmup = { warmupRequestCount: 3, warmupRequestRateRampDuration: 5 };
  await refuses(
    { requestRate: 5, warmupRequestRate: Infinity, ...warmup },
    /^--warmup-request-rate-ramp-duration: Needs a rate that is a number: got inf$/,
  );
  // That of the measurement is not for a warm-up which cannot have it.
  const { phases } = await plan({
    ...{ requestRate: 5, requestRateRampDuration: 5, warmupRequestRate: Infinity },
    warmupRequestCount: 3,
  });
  assert.deepEqual(phases[0]?.load, { loop: "closed", concurrency: 3 });
});

Deno.test("resolvePlan takes a pattern of the warm-up however the warm-up is bounded", async () => {
  const pattern = { requestRate: 5, warmupArrivalPattern: "constant" };
  for (
    const bound of [{ warmupRequestCount: 3 }, { numWarmupSessions: 3 }, { warmupDuration: 3 }]
  ) {
    const [warmup] = (await plan({ ...pattern, ...bound })).phases;
    assert.equal(warmup?.load.loop === "open" && warmup.load.arrivalPattern, "constant");
  }
  await refuses(pattern, /^--warmup-arrival-pattern: Needs /);
});

Deno.test("resolvePlan lets warm-up have another pattern than a measurement with a smoothness", async () => {
  const { phases } = await plan({
    ...{ requestRate: 5, arrivalSmoothness: 0.5 },
    ...{ warmupRequestCount: 3, warmupArrivalPattern: "constant" },
  });
  assert.deepEqual(
    phases.map(({ load }) => load.loop === "open" && load.arrivalPattern),
    ["constant", "gamma"],
  );
  await refuses(
    { requestRate: 5, arrivalSmoothness: 0.5, arrivalPattern: "constant" },
    /^--arrival-smoothness: Needs --arrival-pattern gamma: got constant$/,
  );
});

Deno.test("resolvePlan takes several models and servers, in lists and with commas", async () => {
  const several = await plan({ model: ["a,b", "c"], url: ["h1:1,http://h2:2/v1", "127.0.0.1:3"] })
    .catch((error) => error);
  // The names of hosts are looked up, and these are not known.
  assert.match(several.message, /^--url: The host name h[12] cannot be resolved/);
  const { models, targets, output } = await plan({
    model: ["org/a,b", " c "],
    url: ["127.0.0.1:1,127.0.0.1:2/v1?x=1,2,http://127.0.0.1:3"],
  });
  assert.deepEqual(models, ["org/a", "b", "c"]);
  assert.deepEqual(targets.map(({ origin, path }) => origin.port + path), [
    "1/v1/chat/completions",
    "2/v1/chat/completions?x=1,2",
    "3/v1/chat/completions",
  ]);
  assert.equal(output.directory, "artifacts/org_a_multi-openai-chat-concurrency1");
  await refuses({ model: ["a,,b"] }, /^--model: Must not be empty$/);
});

Deno.test("resolvePlan says what it made of options that mean something else elsewhere", async () => {
  const warnings = async (options: ProfileOptions): Promise<string[]> => {
    const said: string[] = [];
    const onWarning = (text: string): void => void said.push(text);
    await resolvePlan({ ...LOCAL, ...options }, { ...CONTEXT, onWarning });
    return said;
  };
  assert.deepEqual(await warnings({ numPrompts: 100 }), [
    "--num-prompts 100 is the number of different prompts; 100 requests are sent, their number is " +
    "--request-count",
  ]);
  assert.deepEqual(await warnings({ numPrompts: 100, requestCount: 7 }), []);
  assert.deepEqual(await warnings({ header: ["A: b,C:d", '{"E":"f,G:h"}', "X: 1, 2"] }), [
    "--header: commas separate 2 headers; a JSON object keeps them in values",
  ]);
  assert.deepEqual(await warnings({ goodput: "latency:5 itl:20" }), [
    "--goodput: inter_token_latency is only known with --streaming: no request will be good",
  ]);
  assert.deepEqual(await warnings({ goodput: "latency:5 itl:20", streaming: true }), []);
});

Deno.test("resolvePlan says which lengths have no effect beside a mixture", async () => {
  const said = async (options: ProfileOptions): Promise<string[]> => {
    const warnings: string[] = [];
    const context = { ...CONTEXT, onWarning: (text: string) => void warnings.push(text) };
    await resolvePlan({ ...LOCAL, seqDist: "5,5:100", ...options }, context);
    return warnings;
  };
  assert.deepEqual(await said({}), []);
  const decides = "--seq-dist decides the lengths:";
  assert.deepEqual(await said({ isl: 9 }), [`${decides} --isl has no effect`]);
  assert.deepEqual(await said({ isl: 9, osl: 3 }), [`${decides} --isl and --osl have no effect`]);
  assert.deepEqual(
    await said({ isl: 9, islStddev: 1, osl: 3 }),
    [`${decides} --isl, --osl and --isl-stddev have no effect`],
  );
});

Deno.test("resolvePlan makes as many prompts as --num-prompts says", async () => {
  const { dataset, phases } = await plan({ numPrompts: 30, requestCount: 50 });
  assert.ok(dataset.source === "synthetic");
  assert.deepEqual([dataset.entries, phases[0]?.requestCount], [30, 50]);
  await refuses({ numPrompts: 3, numDatasetEntries: 3 }, /^--num-dataset-entries: Cannot be used/);
});

Deno.test("resolvePlan puts a warm-up of its own before the profiling phase", async () => {
  const { phases, dataset } = await plan({
    requestRate: 10,
    concurrency: 8,
    requestCount: 100,
    warmupRequestCount: 20,
    warmupConcurrency: 2,
    warmupRequestRate: 3,
  });
  assert.deepEqual(phases.map(({ kind }) => kind), ["warmup", "profiling"]);
  const warmup = phases[0]?.load;
  assert.deepEqual([warmup?.concurrency, warmup?.loop === "open" && warmup.ratePerSecond], [2, 3]);
  assert.ok(dataset.source === "synthetic");
  assert.deepEqual([dataset.entries, dataset.warmupEntries], [100, 20]);
});

Deno.test("resolvePlan takes as many workers as there is work and cores for", async () => {
  const workers = async (options: ProfileOptions) => (await plan(options)).workers;
  assert.equal(await workers({ concurrency: 16 }), 1);
  assert.equal(await workers({ concurrency: 17 }), 2);
  // A core is left to the server.
  assert.equal(await workers({ concurrency: 7 * 128 }), 7);
  // Unless a worker would have more streams than it can read in time.
  assert.equal(await workers({ concurrency: 7 * 128 + 1 }), 8);
  assert.equal(await workers({ concurrency: 10_000 }), 8);
  assert.equal(await workers({ requestRate: 1 }), 7);
  assert.equal(await workers({ concurrency: 1, workers: 3 }), 3);
});

Deno.test("resolvePlan refuses numbers out of range, naming the option", async () => {
  await refuses({ concurrency: 0 }, /^--concurrency: Must be at least 1: got 0$/);
  await refuses({ concurrency: 1.5 }, /^--concurrency: Must be a whole number: got 1.5$/);
  await refuses({ requestRate: 0 }, /^--request-rate: Must be greater than 0: got 0$/);
  await refuses({ requestCount: NaN }, /^--request-count: Must be a number/);
  await refuses({ maxErrorRate: 1.1 }, /^--max-error-rate: Must be at most 1/);
  await refuses({ isl: 0 }, /^--isl: /);
  await refuses({ benchmarkDuration: -1 }, /^--benchmark-duration: /);
  await refuses({ workers: 257 }, /^--workers: Must be at most 256/);
});

Deno.test("resolvePlan refuses options that need or contradict another", async () => {
  await refuses(
    { arrivalPattern: "poisson" },
    /^--arrival-pattern: Needs --request-rate or --request-rate-series$/,
  );
  await refuses(
    { arrivalSmoothness: 1 },
    /^--arrival-smoothness: Needs --request-rate or --request-rate-series$/,
  );
  await refuses(
    { requestRate: 1, arrivalSmoothness: 1, arrivalPattern: "constant" },
    /^--arrival-smoothness: Needs --arrival-pattern gamma/,
  );
  await refuses(
    { benchmarkGracePeriod: 1 },
    /^--benchmark-grace-period: Needs --benchmark-duration/,
  );
  await refuses(
    { warmupConcurrency: 1 },
    /Needs --warmup-request-count or --num-warmup-sessions or --warmup-duration/,
  );
  await refuses({ inputFile: "x", isl: 5 }, /^--isl: Cannot be used together with --input-file/);
  await refuses({ oslStddev: 5 }, /^--osl-stddev: Needs --osl/);
  await refuses({ perChunkUsage: true }, /^--per-chunk-usage: Needs --streaming/);
  await refuses({ customDatasetType: "single_turn" }, /^--custom-dataset-type: Needs --input-file/);
  await refuses({ exportHttpTrace: true, exportLevel: "summary" }, /^--export-http-trace: Needs/);
});

Deno.test("resolvePlan refuses choices that do not exist and takes both spellings of those that do", async () => {
  await refuses(
    { endpointType: "telepathy" },
    /^--endpoint-type: Must be one of chat, completions/,
  );
  await refuses({ connectionReuseStrategy: "x" }, /^--connection-reuse-strategy: Must be one of/);
  await refuses({ transport: "pigeon" }, /^--transport: Must be one of socket, fetch/);
  const { reuse } = await plan({ connectionReuseStrategy: "STICKY_USER_SESSIONS" });
  assert.equal(reuse, "sticky-user-sessions");
});

Deno.test("resolvePlan joins URLs and paths, and shows no credentials", async () => {
  const target = async (url: string, options: ProfileOptions = {}) =>
    (await plan({ ...options, url: [url] })).targets[0];
  const pathOf = async (url: string, options: ProfileOptions = {}) =>
    (await target(url, options))?.path;
  assert.equal(await pathOf("127.0.0.1:8000"), "/v1/chat/completions");
  assert.equal(await pathOf("http://127.0.0.1/"), "/v1/chat/completions");
  assert.equal(await pathOf("http://127.0.0.1/v1"), "/v1/chat/completions");
  assert.equal(await pathOf("http://127.0.0.1/base/v1/"), "/base/v1/chat/completions");
  assert.equal(await pathOf("http://127.0.0.1/v1/chat/completions"), "/v1/chat/completions");
  assert.equal(await pathOf("http://127.0.0.1/x?y=1"), "/x/v1/chat/completions?y=1");
  assert.equal(await pathOf("127.0.0.1", { customEndpoint: "/go" }), "/go");
  assert.equal(await pathOf("127.0.0.1", { endpointType: "completions" }), "/v1/completions");
  const secret = await target("https://user:pass%20word@127.0.0.1/?api_key=abcdef");
  assert.equal(secret?.origin.port, 443);
  assert.equal(secret?.authorization, `Basic ${btoa("user:pass word")}`);
  assert.doesNotMatch(secret?.redactedUrl ?? "", /user|pass|abcdef/);
  const ipv6 = await target("http://[::1]:9000");
  assert.deepEqual([ipv6?.origin.hostname, ipv6?.origin.host], ["::1", "[::1]:9000"]);
});

Deno.test("resolvePlan refuses what is no http URL", async () => {
  await refuses({ url: ["ftp://x"] }, /^--url: Only http and https/);
  await refuses({ url: ["http://"] }, /^--url: Not a URL/);
  await refuses({ url: ["a b"] }, /^--url: Not a URL/);
  await refuses({ url: ["127.0.0.1:0"] }, /^--url: Port must be/);
  await refuses(
    { url: ["http://no-such-host.invalid"] },
    /no-such-host\.invalid cannot be resolved/,
  );
  await refuses({ customEndpoint: "x" }, /^--custom-endpoint: Must begin with/);
});

Deno.test("resolvePlan gathers everything secret and shows none of it", async () => {
  const made = await plan({
    url: ["http://me:hunter22@127.0.0.1:8000?token=tok-in-url"],
    apiKey: "sk-1234",
    header: ["X-Api-Key: header-key", "X-Plain: visible"],
  });
  for (const secret of ["hunter22", "tok-in-url", "sk-1234", "header-key"]) {
    assert.ok(made.secrets.includes(secret), secret);
    assert.ok(!JSON.stringify(inputConfig(made)).includes(secret), secret);
  }
  assert.ok(JSON.stringify(inputConfig(made)).includes("visible"));
  assert.deepEqual(made.headers.at(-1), ["Authorization", "Bearer sk-1234"]);
});

Deno.test("resolvePlan refuses headers that would break a request", async () => {
  await refuses({ header: ["nonsense"] }, /^--header: Expected "Name: value"/);
  await refuses({ header: ["A b: c"] }, /^--header: Not a header name/);
  await refuses(
    { header: ["X-A: b\nX-C: d"] },
    /^--header: The value of X-A has a control character/,
  );
  await refuses(
    { header: ["Content-Length: 5"] },
    /^--header: Content-Length is set by the client/,
  );
  await refuses({ apiKey: "a\nb" }, /^--api-key: /);
});

Deno.test("resolvePlan reads extra inputs as pairs and as JSON", async () => {
  const { body } = await plan({
    extraInputs: [
      'ignore_eos:true,temperature:0.5,stop:a,b,nested:{"x":[1,2]},none:null,id:007x',
      '{"top_k": 5}',
    ],
  });
  assert.deepEqual(body.extraInputs, {
    ignore_eos: true,
    temperature: 0.5,
    stop: "a,b",
    nested: { x: [1, 2] },
    none: null,
    id: "007x",
    top_k: 5,
  });
  await refuses({ extraInputs: ["nonsense"] }, /^--extra-inputs: Expected key:value/);
  await refuses({ extraInputs: ["{x"] }, /^--extra-inputs: Not valid JSON/);
});

Deno.test("resolvePlan removes fields from bodies", async () => {
  const streaming = { streaming: true };
  const omitted = async (options: Parameters<typeof plan>[0]) =>
    (await plan({ ...streaming, ...options })).omittedInputs;
  assert.equal(await omitted({}), undefined);
  assert.deepEqual(await omitted({ omitInputs: ["stream_options", "a,b"] }), [
    ...["stream_options", "a", "b"],
  ]);
  assert.deepEqual(await omitted({ extraInputs: ["stream_options:"] }), ["stream_options"]);
  const { body, omittedInputs } = await plan({
    extraInputs: ["top_k:,seed:1", "user:", "user:x", 'empty:""'],
  });
  assert.deepEqual(omittedInputs, ["top_k"]);
  assert.deepEqual(body.extraInputs, { seed: 1, user: "x", empty: "" });
  await refuses(
    { ...streaming, omitInputs: ["stream"] },
    /^--omit-inputs: stream cannot be removed/,
  );
  await refuses({ omitInputs: ["messages"] }, /^--omit-inputs: messages cannot be removed/);
  await refuses(
    { endpointType: "completions", omitInputs: ["prompt"] },
    /^--omit-inputs: prompt: bodies then have no prompt/,
  );
  await refuses({ omitInputs: ["a:b"] }, /^--omit-inputs: Expected names of body fields/);
});

Deno.test("resolvePlan refuses extra inputs whose digits would be lost", async () => {
  const long = "12345678901234567890";
  const lost = /^--extra-inputs: seed: Whole numbers beyond 9007199254740991 would lose digits/;
  for (const entry of [`seed:${long}`, `seed:-${long}`, `{"seed":${long}}`, `a:{"seed":${long}}`]) {
    await refuses({ extraInputs: [entry] }, lost);
  }
  const { body } = await plan({
    extraInputs: [
      "seed:9007199254740991",
      "scale:1e300",
      `id:"${long}"`,
      "x:0.1234567890123456789",
    ],
  });
  assert.deepEqual(body.extraInputs, {
    ...{ seed: 9007199254740991, scale: 1e300, id: long, x: 0.1234567890123456789 },
  });
});

Deno.test("resolvePlan reads objectives by tags and short tags", async () => {
  const goodput = "ttft:200 inter_token_latency:20,latency:1000";
  const { objectives } = await plan({ goodput, streaming: true });
  assert.deepEqual(objectives, [
    { tag: "time_to_first_token", threshold: 200 },
    { tag: "inter_token_latency", threshold: 20 },
    { tag: "request_latency", threshold: 1000 },
  ]);
  await refuses(
    { goodput: "tttf:200" },
    /^--goodput: Unknown metric "tttf": known are .*, \.\.\.; did you mean ttft\?$/,
  );
  await refuses({ goodput: "ttft" }, /^--goodput: Expected metric:value/);
  await refuses({ goodput: "ttft:fast" }, /^--goodput: Expected metric:value/);
  await refuses({ goodput: "latency:-5" }, /^--goodput: Must not be negative: got "latency:-5"/);
});

Deno.test("resolvePlan keeps export prefixes inside the folder", async () => {
  const prefix = async (text: string) => (await plan({ profileExportPrefix: text })).output.prefix;
  assert.equal(await prefix("run1"), "run1");
  assert.equal(await prefix("run1.json"), "run1");
  assert.equal(await prefix("run1_raw.jsonl"), "run1");
  assert.equal(await prefix("/tmp/out/run1.csv"), "run1");
  for (const hostile of ["../x", "a/b", "..", ".", "", "con", "a\0b", "x".repeat(101), "a\\b"]) {
    await refuses({ profileExportPrefix: hostile }, /^--profile-export-prefix: /);
  }
});

Deno.test("resolvePlan names the folder after model and load, whatever the model is called", async () => {
  const directory = async (options: ProfileOptions) => (await plan(options)).output.directory;
  assert.equal(
    await directory({ model: "Qwen/Qwen3 0.6B", requestRate: 2.5, concurrency: 4 }),
    "artifacts/Qwen_Qwen3_0.6B-openai-chat-concurrency4-request_rate2.5",
  );
  assert.equal(
    await directory({ model: "../../etc" }),
    "artifacts/__.._etc-openai-chat-concurrency1",
  );
  assert.equal(await directory({ artifactDir: "/tmp/x" }), "/tmp/x");
});

Deno.test("resolvePlan tells what to do about a tokenizer that is not here", async () => {
  await refuses(
    { tokenizer: "Qwen/Qwen3-0.6B", offline: true },
    /^--tokenizer: "Qwen\/Qwen3-0\.6B" is not a file and not in the cache .* give the path of its/,
  );
  await refuses({ tokenizer: "/no/such/folder" }, /^--tokenizer: No file or folder "\/no\/such/);
  await refuses({ tokenizer: "a\0b" }, /^--tokenizer: Must be builtin, a path, or the name of a/);
});

Deno.test("resolvePlan asks the server for the model only where none is named", async () => {
  assert.deepEqual((await plan()).models, ["m"]);
  const { models } = await resolvePlan({ url: LOCAL.url }, CONTEXT);
  assert.deepEqual(models, ["found-model"]);
});

Deno.test("resolvePlan refuses extra inputs that replace synthetic prompts, or the stream", async () => {
  const prompts = (name: string) => new RegExp(`^--extra-inputs: ${name} replaces the synthetic`);
  await refuses({ extraInputs: ['messages:[{"role":"user","content":"x"}]'] }, prompts("messages"));
  await refuses({ extraInputs: ['{"top_k":1,"messages":[]}'] }, prompts("messages"));
  const completions = { endpointType: "completions" };
  await refuses({ ...completions, extraInputs: ["top_k:1", "prompt:x"] }, prompts("prompt"));
  assert.equal((await plan({ extraInputs: ["prompt:x"] })).body.extraInputs["prompt"], "x");
  await plan({ extraInputs: ["messages:[]"], inputFile: "prompts.jsonl" });
  for (const value of ["false", "0", "null", '"yes"']) {
    await refuses(
      { extraInputs: [`stream:${value}`], streaming: true },
      /^--extra-inputs: stream must be true with --streaming/,
    );
  }
  await plan({ extraInputs: ["stream:true"], streaming: true });
  await plan({ extraInputs: ["stream:false"] });
});

Deno.test("resolvePlan refuses control characters, and encodes paths", async () => {
  await refuses({ customEndpoint: "/a\r\nX: y" }, /^--custom-endpoint: Must not have control/);
  await refuses({ model: "m\u001b[2J" }, /^--model: Must not have control characters$/);
  await refuses({ model: "m\u0085" }, /^--model: Must not have control characters$/);
  await refuses({ header: ["X-A: b\n"] }, /^--header: The value of X-A has a control character/);
  await refuses({ header: ["X-A: b\u009b1m"] }, /^--header: The value of X-A has a control/);
  const path = async (customEndpoint: string) => (await plan({ customEndpoint })).targets[0]?.path;
  assert.equal(await path("/my path/\u00e9?q=a b"), "/my%20path/%C3%A9?q=a%20b");
  assert.equal(await path("/a%20b/%/#x"), "/a%20b/%25/%23x");
  assert.equal(await path("/\ud800"), "/%EF%BF%BD");
});

Deno.test("resolvePlan refuses empty texts, and formats of metrics that nobody collects", async () => {
  await refuses({ model: "" }, /^--model: Must not be empty/);
  await refuses({ goodput: " " }, /^--goodput: Must be more than an empty text/);
  await refuses({ tokenizer: "" }, /^--tokenizer: Must be more than an empty text/);
  await refuses({ url: [""] }, /^--url: Must be more than empty texts/);
  await refuses(
    { noServerMetrics: true, serverMetricsFormats: ["json"] },
    /^--server-metrics-formats: Cannot be used together with --no-server-metrics/,
  );
});

Deno.test("resolvePlan makes no more prompts and threads than requests can use", async () => {
  const made = async (options: ProfileOptions) => {
    const { dataset, workers } = await plan(options);
    return dataset.source === "synthetic" ? [dataset.entries, workers] : [];
  };
  const many = { numDatasetEntries: 10_000_000, workers: 256 };
  assert.deepEqual(await made({ ...many, requestCount: 2 }), [2, 2]);
  const shuffled = { ...many, requestCount: 2, datasetSamplingStrategy: "shuffle" };
  assert.deepEqual(await made(shuffled), [2, 2]);
  const random = { ...many, requestCount: 2, datasetSamplingStrategy: "random" };
  assert.deepEqual(await made(random), [200, 2]);
  assert.deepEqual(await made({ ...many, benchmarkDuration: 5 }), [10_000_000, 256]);
  assert.deepEqual(await made({ numDatasetEntries: 3, requestCount: 9 }), [3, 1]);
});

Deno.test("planLike keeps what was read once, and takes the rest from the options of its run", async () => {
  const options: ProfileOptions = {
    ...LOCAL,
    streaming: true,
    concurrency: 8,
    requestRateSeries: '[{"time_s":0,"qps":5},{"time_s":9,"qps":20}]',
    requestRateRampDuration: 2,
    concurrencyRampDuration: 3,
    prefillConcurrency: 2,
    requestCancellationRate: 10,
    on429: "wait",
    expectMinTokens: 7,
    numSessions: 20,
  };
  const first = await plan(options);
  const same = planLike(first, options, CONTEXT);
  assert.deepEqual(same.phases, first.phases);
  assert.deepEqual([same.waitOn429, same.expectation], [true, first.expectation]);
  const other = planLike(first, {
    ...{ ...options, prefillConcurrency: 4, numSessions: 30 },
    sessionTurnsMean: 3,
  }, CONTEXT).phases[0];
  assert.deepEqual([other?.prefill?.limit, other?.sessionCount], [4, 30]);
  assert.throws(
    () =>
      planLike(
        { ...first, endpointType: "completions" },
        { ...options, sessionTurnsMean: 3 },
        CONTEXT,
      ),
    /^UsageError: --session-turns-mean: Endpoint type completions takes one prompt/,
  );
});

Deno.test("planLike makes the prompts of each run as its options say", async () => {
  const options = {
    ...LOCAL,
    ...{ numPrefixPrompts: 3, prefixPromptLength: 20, osl: 10, randomSeed: 1 },
  };
  const first = await plan({ ...options, isl: 100, randomRangeRatio: "0.5" });
  const { dataset } = planLike(first, { ...options, isl: 200, randomRangeRatio: "0.5" }, CONTEXT);
  assert.deepEqual(
    dataset,
    (await plan({ ...options, isl: 200, randomRangeRatio: "0.5" })).dataset,
  );
  assert.ok(dataset.source === "synthetic" && dataset.prompts?.prefixes?.count === 3);
});

Deno.test("planLike has the number of users of each run", async () => {
  const options = { ...LOCAL, userCentricRate: 4, numUsers: 5, numSessions: 9 };
  const first = await plan(options);
  const { phases, output } = planLike(first, { ...options, numUsers: 8 }, CONTEXT);
  const load = phases[0]?.load;
  assert.equal(load?.loop === "open" && load.users, 8);
  assert.match(output.directory, /users8-request_rate4$/);
  assert.throws(
    () => planLike(first, { ...options, numUsers: 10 }, CONTEXT),
    /--num-users: Must not exceed the number of sessions/,
  );
});

/** Two values of an option that a sweep may have. */
function valuesOf(name: string): readonly [number, number] {
  return name === "prefixHitRate" ? [0.3, 0.4] : [3, 4];
}

Deno.test("planLike makes of every option that is swept what resolvePlan makes of it", async () => {
  const chats = { numSessions: 20, sessionTurnsMean: 3 };
  const users = { ...chats, userCentricRate: 4, numUsers: 5 };
  const around: Readonly<Record<string, ProfileOptions>> = {
    islStddev: { isl: 200 },
    oslStddev: { osl: 200 },
    arrivalSmoothness: { requestRate: 5 },
    prefillConcurrency: { streaming: true, concurrency: 8 },
    ...{ numUsers: users, userCentricRate: users },
    ...{ sessionTurnsStddev: chats, sessionTurnDelayMean: chats, sessionTurnDelayStddev: chats },
    ...{ numPrefixPrompts: { prefixPromptLength: 9 }, prefixPromptLength: { numPrefixPrompts: 2 } },
    requestCancellationDelay: { requestCancellationRate: 10 },
  };
  const swept = specsOf(PROFILE_OPTIONS).filter(isSweepable).map(({ name }) => name);
  assert.ok(swept.length > 20);
  for (const name of swept) {
    const options = { ...around[name], randomSeed: 1, requestCount: 60, warmupRequestCount: 2 };
    const [one, other] = await Promise.all(
      valuesOf(name).map((value) => plan({ ...options, [name]: value })),
    ) as [RunPlan, RunPlan];
    const like = planLike(one, { ...LOCAL, ...options, [name]: valuesOf(name)[1] }, CONTEXT);
    const [before, expected, found] = [one, other, like].map(({ phases, dataset, ...rest }) => ({
      ...{ phases, dataset, workers: rest.workers, output: rest.output, slos: rest.slos },
      ...{ turnDelays: rest.turnDelays, systemPrompt: rest.systemPrompt, seed: rest.seed },
    }));
    assert.deepEqual(found, expected, name);
    assert.notDeepEqual(found, before, name);
  }
});

Deno.test("resolvePlan has canaries go past every proxy that fetch would send them through", async () => {
  const transportWith = async (transport: string, variables: Record<string, string>) =>
    (await resolvePlan({ ...LOCAL, transport }, {
      ...CONTEXT,
      readVariable: (name) => variables[name],
    })).canaryTransport;
  for (const name of ["HTTP_PROXY", "https_proxy", "ALL_PROXY"]) {
    const variables = { [name]: "http://proxy:3128" };
    assert.equal(await transportWith("fetch", variables), "socket", name);
    assert.equal(await transportWith("socket", variables), undefined, name);
    assert.equal(await transportWith("fetch", { ...variables, NO_PROXY: "127.0.0.1" }), undefined);
  }
  assert.equal(await transportWith("fetch", {}), undefined);
});

Deno.test("resolvePlan of a shard has the whole run's plan, its own folder, and shard 0's metrics", async () => {
  const options = { concurrency: 6, requestCount: 20, artifactDir: "d/", streaming: true };
  const parts = await Promise.all(
    [0, 1, 2].map((index) => plan({ ...options, shard: `${index}/3` })),
  );
  const whole = await plan({ ...options, randomSeed: parts[0]?.seed ?? -1 });
  const hashes = await Promise.all([whole, ...parts].map(planHash));
  assert.equal(new Set(hashes).size, 1);
  for (const [index, part] of parts.entries()) {
    assert.deepEqual(part.phases, whole.phases);
    assert.deepEqual(part.shard, { index, count: 3 });
    assert.equal(part.output.directory, `d/shard-000${index}-of-0003`);
    assert.equal(part.serverMetrics === undefined, index > 0);
  }
});

Deno.test("resolvePlan refuses more shards than there is to divide", async () => {
  const shard = "0/4";
  await refuses({ shard, concurrency: 3 }, /4 shards need --concurrency 4 or more: got 3/);
  await refuses({ shard, concurrency: 8, requestCount: 3 }, /need as many requests or more: got 3/);
  await refuses(
    { shard, concurrency: 8, streaming: true, prefillConcurrency: 2 },
    /need --prefill-concurrency 4/,
  );
  await refuses(
    { shard, concurrency: 8, warmupRequestCount: 9, warmupConcurrency: 3 },
    /need --warmup-concurrency 4/,
  );
  await plan({ shard, concurrency: 8, warmupRequestCount: 2 });
});
