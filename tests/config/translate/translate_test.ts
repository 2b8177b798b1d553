import assert from "node:assert/strict";
import options from "../../../fixtures/translate/options.json" with { type: "json" };
import { UsageError } from "../../../src/config/options/usage_error.ts";
import { AIPERF_VERSION } from "../../../src/config/options/commands/aiperf_options.ts";
import { toolTitle } from "../../../src/config/translate/foreign_option.ts";
import { FOREIGN_TOOLS } from "../../../src/config/translate/foreign_tools.ts";
import type { ForeignTool } from "../../../src/config/translate/foreign_tool.ts";
import { INFERENCE_PERF } from "../../../src/config/translate/inference_perf.ts";
import { ourOption } from "../../../src/config/translate/our_line.ts";
import { translate } from "../../../src/config/translate/translate.ts";

const TOOLS: readonly ForeignTool[] = [...FOREIGN_TOOLS, INFERENCE_PERF];
/** Options of AIPerf that a row may name before this version has them; it says so then. */
const LATER =
  /^(audio-.*|batch-size-(audio|image)|image-.*|(num-)?prefix-prompt.*|num-prefix-prompts|fixed-schedule)$/;

const noFile = (path: string): Promise<string> => Promise.reject(new Error(path));
const words = (line: string): string[] => line.split(" ");
const line = async (command: string): Promise<string> => {
  const { lines } = await translate(words(command), noFile);
  assert.equal(lines.length, 1);
  return (lines[0] as string[]).join(" ");
};

Deno.test("each option of each tool has a row", () => {
  const documented = new Map<string, readonly (readonly string[])[]>(Object.entries(options));
  for (const tool of TOOLS) {
    const { options: rows } = tool;
    const name = toolTitle(tool);
    const known = documented.get(name);
    assert.ok(known !== undefined, name);
    const names = rows.flatMap((row) => row.names);
    assert.equal(new Set(names).size, names.length, `${name}: a spelling stands in two rows`);
    for (const spelling of known.flat()) {
      const isBelow = rows.some((row) => row.names.some((one) => spelling.startsWith(`${one}.`)));
      assert.ok(names.includes(spelling) || isBelow, `${name} ${spelling}`);
    }
  }
});

Deno.test("translate names the version that the table of a tool was made for, and so does its page", async () => {
  const page = await Deno.readTextFile(new URL("../../../docs/exchange.md", import.meta.url));
  const shown = page.replaceAll(/\s+/g, " ");
  for (const tool of FOREIGN_TOOLS) {
    assert.equal((await translate(tool.words[0] as string[], noFile)).tool, toolTitle(tool));
  }
  const perf = await translate(words("inference-perf --server.base_url http://h:1"), noFile);
  assert.equal(perf.tool, toolTitle(INFERENCE_PERF));
  const aiperf = await translate(words("aiperf profile --model m"), noFile);
  assert.equal(aiperf.tool, `AIPerf (${AIPERF_VERSION})`);
  for (const tool of [...TOOLS, { name: "aiperf profile", version: AIPERF_VERSION }]) {
    assert.ok(shown.includes(`\`${tool.name}\` | ${tool.version} `), toolTitle(tool));
  }
  await assert.rejects(
    translate(words("vllm bench serve --no-such-option"), noFile),
    new RegExp(toolTitle(FOREIGN_TOOLS[0] as ForeignTool).replaceAll(/[().]/g, "\\$&")),
  );
});

Deno.test("rows that name an option of ours name one that there is", () => {
  for (const { name, options: rows } of TOOLS) {
    for (const { names, meaning } of rows) {
      if (typeof meaning === "string" || !("to" in meaning) || LATER.test(meaning.to)) continue;
      assert.ok(ourOption(meaning.to) !== undefined, `${name} ${names[0]} -> --${meaning.to}`);
    }
  }
});

Deno.test("a command line of AIPerf is ours without its first word", async () => {
  const given = "uv run aiperf profile --model m --url localhost:8000 --streaming";
  assert.equal(await line(given), "profile --model m --url localhost:8000 --streaming");
  assert.match(await line("vllm bench serve --model /models/aiperf --num-prompts 5"), /aiperf/);
});

Deno.test("no option is dropped without a word: its value is in our line, or its name in a note", async () => {
  for (const { words: beginnings, options: rows, name } of FOREIGN_TOOLS) {
    for (const { names, takes } of rows) {
      const flag = names.find((one) => one.startsWith("--")) ?? names[0] as string;
      const value = valueOf(flag);
      const given = [...beginnings[0] as string[], flag, ...takes === "nothing" ? [] : [value]];
      const { lines, notes } = await translate(given, noFile);
      const plain = await translate(beginnings[0] as string[], noFile);
      const said = notes.length > plain.notes.length || notes.some((note) => note.includes(flag));
      const made = JSON.stringify(lines) !== JSON.stringify(plain.lines);
      assert.ok(said || made, `${name}: ${given.join(" ")}`);
    }
  }
});

function valueOf(flag: string): string {
  if (/goodput/.test(flag)) return "ttft:300";
  if (/extra-body|extra-request-body|chat-template-kwargs|backend-args|output-extras/.test(flag)) {
    return '{"a":1}';
  }
  if (/^--(data|constraint|profile|backend|tokenizer|metrics|seed)$/.test(flag)) {
    return "kind=other,value=7";
  }
  return "7";
}

Deno.test("vllm bench serve: server, API, lengths, load", async () => {
  assert.equal(
    await line(
      "vllm bench serve --backend openai-chat --endpoint /v1/chat/completions --model m " +
        "--random-input-len 512 --random-output-len 64 --num-prompts 200 --max-concurrency 16 " +
        "--ignore-eos --seed 3 --goodput ttft:200 tpot:20",
    ),
    "profile --url http://127.0.0.1:8000 --model m --endpoint-type chat --streaming --isl 512 " +
      "--osl 64 --prompt-corpus random --concurrency 16 --request-count 200 --extra-inputs ignore_eos:true " +
      "--random-seed 3 --goodput time_to_first_token:200 inter_token_latency:20",
  );
  assert.match(
    await line("vllm bench serve --model m --request-rate 5 --burstiness 0.5 --port=9000"),
    /^profile --url http:\/\/127.0.0.1:9000 .*--endpoint-type completions --streaming --isl 1024 --osl 128 --prompt-corpus random --request-rate 5 --arrival-pattern gamma --arrival-smoothness 0.5 --request-count 1000 --extra-inputs ignore_eos:true$/,
  );
  assert.match(await line("vllm bench serve --model m"), / --request-rate inf /);
});

Deno.test("vllm bench serve: its custom data set is a format here", async () => {
  const { lines, notes } = await translate(
    words("vllm bench serve --dataset-name custom --dataset-path d.jsonl --custom-output-len 99"),
    noFile,
  );
  assert.match(
    (lines[0] as string[]).join(" "),
    /--input-file d.jsonl --custom-dataset-type custom --osl 99/,
  );
  assert.match(notes.join("\n"), /--custom-output-len: rows with output_tokens keep their own/);
});

Deno.test("vllm bench serve: pictures, passages and traces", async () => {
  assert.match(
    await line(
      "vllm bench serve --backend openai-chat --dataset-name random-mm " +
        "--random-mm-base-items-per-request 2 --random-mm-bucket-config {(224,448,1):1.0}",
    ),
    /--image-batch-size 2 --image-width-mean 448 --image-height-mean 224/,
  );
  const films = await translate(
    words("vllm bench serve --dataset-name random-mm --random-mm-bucket-config {(1,2,16):1.0}"),
    noFile,
  );
  assert.match(
    films.notes.join("\n"),
    /--random-mm-bucket-config: no counterpart: synthetic videos/,
  );
  assert.match(
    await line(
      "vllm bench serve --backend vllm-rerank --endpoint /v1/rerank --dataset-name random-rerank " +
        "--random-input-len 512 --random-batch-size 5",
    ),
    /--rankings-query-prompt-token-mean 255 --rankings-passages-prompt-token-mean 256 --rankings-passages-mean 5/,
  );
  const trace = await line(
    "vllm bench serve --dataset-name timed_trace --dataset-path t.jsonl " +
      "--timed-trace-chunk-hash-size 512 --timed-trace-sec-multiplier 0.002",
  );
  assert.match(
    trace,
    /--input-file t.jsonl --custom-dataset-type mooncake-trace --isl-block-size 512 --fixed-schedule --synthesis-speedup-ratio 0.5/,
  );
  assert.doesNotMatch(trace, /--request-rate/);
});

Deno.test("vllm bench serve: rates that grow are a series whose area is the requests", async () => {
  for (const strategy of ["linear", "exponential"]) {
    const made = await line(
      `vllm bench serve --num-prompts 600 --ramp-up-strategy ${strategy} ` +
        "--ramp-up-start-rps 1 --ramp-up-end-rps 10 --burstiness 2",
    );
    const series: { time_s: number; qps: number }[] = JSON.parse(
      /--request-rate-series (\S+)/.exec(made)?.[1] as string,
    );
    const area = series.slice(1).reduce((sum, { time_s, qps }, at) => {
      const before = series[at] as typeof series[number];
      return sum + (time_s - before.time_s) * (qps + before.qps) / 2;
    }, 0);
    assert.ok(Math.abs(area / 600 - 1) < 0.03, `${strategy} ${area}`);
    assert.deepEqual([series[0], series.at(-1)?.qps], [{ time_s: 0, qps: 1 }, 10]);
    assert.match(made, /--arrival-smoothness 2/);
  }
  const { notes } = await translate(
    words("vllm bench serve --ramp-up-strategy linear --ramp-up-start-rps 0 --ramp-up-end-rps 5"),
    noFile,
  );
  assert.match(notes.join("\n"), /--ramp-up-strategy: no counterpart: .*above 0/);
});

Deno.test("sglang.bench_serving: shared prefixes have as many prompts as their groups", async () => {
  const groups = "python -m sglang.bench_serving --dataset-name generated-shared-prefix " +
    "--gsp-num-groups 3 --gsp-prompts-per-group 4";
  assert.match(await line(groups), /--num-dataset-entries 12 .*--request-count 12/);
  assert.match(await line(`${groups} --gsp-num-turns 2`), /--num-sessions 12/);
  const { notes } = await translate(words(`${groups} --num-prompts 9`), noFile);
  assert.match(notes.join("\n"), /--num-prompts: left out/);
});

Deno.test("vllm bench serve: backends that its script had", async () => {
  assert.match(
    await line("python benchmarks/benchmark_serving.py --backend tgi --endpoint /generate_stream"),
    /--endpoint-type huggingface-generate --custom-endpoint \/generate_stream --streaming/,
  );
  assert.match(
    await line("python benchmarks/benchmark_serving.py --backend sglang"),
    /--endpoint-type completions --streaming/,
  );
});

Deno.test("sglang.bench_serving: traces have no rate, adapters are drawn, pictures are JPEG", async () => {
  const trace = await line(
    "python -m sglang.benchmark.serving --dataset-name mooncake --dataset-path t.jsonl --use-trace-timestamps",
  );
  assert.match(trace, /--fixed-schedule/);
  assert.doesNotMatch(trace, /--request-rate/);
  const mooncake = "python -m sglang.bench_serving --dataset-name mooncake --dataset-path t.jsonl";
  const replayed = await line(`${mooncake} --request-rate 5 --max-concurrency 7`);
  assert.match(replayed, /--fixed-schedule --concurrency 7/);
  assert.doesNotMatch(replayed, /--request-rate/);
  assert.match(await line(`${mooncake} --backend vllm`), /--request-rate inf/);
  assert.match(
    await line("python -m sglang.bench_serving --lora-name a b --dataset-name image"),
    /--model a,b --model-selection-strategy random .*--image-format jpeg/,
  );
  assert.match(
    await line(
      "python -m sglang.bench_serving --lora-name a b c --lora-request-distribution skewed " +
        "--lora-zipf-alpha 2",
    ),
    /--model a,b,c --model-selection-strategy weighted --model-weights 1,0.5,0.25/,
  );
  assert.match(
    await line("python -m sglang.bench_serving --backend trt --dataset-name random"),
    /:8000 --endpoint-type kserve --streaming --custom-endpoint \/v2\/models\/ensemble\/generate_stream/,
  );
});

Deno.test("vllm bench serve: underscores and beginnings of names are read as Python reads them", async () => {
  assert.match(
    await line("vllm bench serve --num_prompts 7 --max-conc 3"),
    /--concurrency 3 --request-count 7 --extra-inputs ignore_eos:true$/,
  );
});

Deno.test("vllm bench serve: lengths that are spread evenly are spread so here", async () => {
  const spread = await line("vllm bench serve --random-input-len 1000 --random-range-ratio 0.3");
  assert.match(spread, /--isl 1000 --osl 128 --random-range-ratio 0\.3 --prompt-corpus random /);
  const sglang = "python -m sglang.bench_serving --dataset-name random-ids --random-input-len 100";
  assert.match(
    await line(`${sglang} --random-range-ratio 0.5`),
    /--isl 100 --osl 1024 --random-range-ratio 0\.5 --random-corpus-style sglang --prompt-corpus random/,
  );
});

Deno.test("what starts a program is no part of its command line", async () => {
  const plain = await line("vllm bench serve --model m");
  for (
    const start of [
      ...["uv run", "env VLLM_USE_V1=1", "A=1 B=2 time", "/opt/venv/bin/python3.12 -u -m"],
      ...["srun -n 1", "kubectl exec -it pod --"],
    ]
  ) {
    const module = start.endsWith("-m") ? "vllm.entrypoints.cli.main" : "/usr/bin/vllm";
    assert.equal(await line(`${start} ${module} bench serve --model m`), plain, start);
  }
  assert.equal(await line("python3 ./benchmarks/benchmark_serving.py --model m"), plain);
  const file = () => Promise.resolve("server: {base_url: http://h:1}\n");
  const { lines } = await translate(words("uv run inference-perf --config_file=a.yml"), file);
  assert.match((lines[0] as string[]).join(" "), /--url http:\/\/h:1/);
});

Deno.test("data sets that are known here keep their names, files, parts and filters", async () => {
  const of = async (text: string) =>
    / (--public-dataset .*?) --(?!public|hf|dataset-f)/.exec(
      await line(text),
    )?.[1];
  const vllm = "vllm bench serve --model m --dataset-name";
  assert.equal(
    await of(`${vllm} sharegpt --dataset-path S.json`),
    "--public-dataset sharegpt --public-dataset-folder S.json",
  );
  assert.equal(
    await of(`${vllm} hf --dataset-path lmms-lab/LLaVA-OneVision-Data --hf-subset chart2text`),
    "--public-dataset llava_onevision --hf-subset chart2text",
  );
  assert.equal(
    await of(`${vllm} spec_bench --dataset-path q.jsonl --spec-bench-category math`),
    "--public-dataset spec_bench --public-dataset-folder q.jsonl --dataset-filter category=math",
  );
  assert.equal(
    await of("guidellm benchmark --target http://h:1 --data openai/gsm8k --rate-type synchronous"),
    "--public-dataset spec_al_gsm8k",
  );
  const { notes } = await translate(words(`${vllm} hf --dataset-path some/thing`), noFile);
  assert.ok(notes.some((note) => note.startsWith("--dataset-name: no counterpart")), `${notes}`);
});

Deno.test("vllm bench serve: fields of JSON after a dot", async () => {
  assert.match(
    await line("vllm bench serve --extra-body.top_k 5 --extra-body.a.b=x --extra-body.a.c [1]"),
    /--extra-inputs ignore_eos:true \{"top_k":5,"a":\{"b":"x","c":\[1\]\}\}/,
  );
  await assert.rejects(
    translate(words("vllm bench serve --extra-body 3 --extra-body.a 1"), noFile),
    /--extra-body has a value that has no fields/,
  );
  await assert.rejects(
    translate(words("vllm bench serve --extra-body.a"), noFile),
    /Expected a value/,
  );
});

Deno.test("genai-perf profile: what goes on to another program is told", async () => {
  const { lines, notes } = await translate(
    words("genai-perf profile -m m --service-kind openai --endpoint-type chat -- -v --async"),
    noFile,
  );
  assert.match((lines[0] as string[]).join(" "), /--endpoint-type chat --concurrency 1$/);
  assert.deepEqual(notes.map((note) => note.split(":")[0]), ["--service-kind", "--"]);
});

Deno.test("sglang.bench_serving: what it does without being asked is written out", async () => {
  const told = await line(
    "python3 -m sglang.bench_serving --backend sglang-oai-chat --model m --dataset-name random " +
      "--random-range-ratio 1 --num-prompts 50 --max-concurrency 4",
  );
  assert.equal(
    told,
    "profile --url http://127.0.0.1:30000 --model m --endpoint-type chat --streaming --isl 1024 " +
      "--osl 1024 --concurrency 4 --request-count 50 --warmup-request-count 1 --random-seed 42 " +
      '--extra-inputs {"temperature":0.0,"ignore_eos":true}',
  );
});

Deno.test("genai-perf profile: milliseconds become seconds", async () => {
  assert.match(
    await line(
      "genai-perf profile -m m --endpoint-type chat --streaming -u h:1 --measurement-interval 4000 --concurrency 8",
    ),
    /--model m --url h:1 --endpoint-type chat --benchmark-duration 4 --streaming --concurrency 8$/,
  );
});

Deno.test("genai-perf profile: kinds of API that are called otherwise here, and input files", async () => {
  assert.match(
    await line(
      "genai-perf profile -m m --endpoint-type rankings --endpoint rerank --extra-inputs rankings:tei " +
        "--input-file synthetic:queries,passages --batch-size-text 2",
    ),
    /--endpoint-type hf-tei-rankings --rankings-passages-mean 2 .*--custom-endpoint \/rerank$/,
  );
  assert.match(await line("genai-perf profile --endpoint-type generate"), /--endpoint-type kserve/);
  assert.match(await line("genai-perf profile --endpoint-type multimodal"), /--endpoint-type chat/);
  const { lines, notes } = await translate(
    words(
      "genai-perf profile --endpoint-type template --num-payloads 2 --input-file payload:in.jsonl " +
        "--session-delay-ratio 0.5 -b 3",
    ),
    noFile,
  );
  assert.match(
    (lines[0] as string[]).join(" "),
    /--input-file in.jsonl .*--num-dataset-entries 2$/,
  );
  assert.match(notes.join("\n"), /--batch-size-text: no .*\n.*--session-delay-ratio: no /);
});

Deno.test("guidellm benchmark: a list of rates is one sweep", async () => {
  const made = await line(
    "guidellm benchmark --target http://h:1 --rate-type concurrent --rate 1,4,16 " +
      "--max-seconds 30 --data prompt_tokens=256,output_tokens=128",
  );
  assert.match(
    made,
    /--isl 256 --osl 128 --extra-inputs ignore_eos:true --benchmark-duration 30 --concurrency 1,4,16$/,
  );
  assert.match(
    await line("guidellm benchmark --rate-type poisson --rate 0.5 --rate 2"),
    /--arrival-pattern poisson --request-rate 0.5,2$/,
  );
});

Deno.test("guidellm benchmark: runs that no sweep can make have a folder each", async () => {
  const { lines } = await translate(
    words("guidellm benchmark --rate-type concurrent --rate 4,4 --output-dir out"),
    noFile,
  );
  assert.deepEqual(
    lines.map((one) => one.slice(one.indexOf("--concurrency"))),
    [
      ["--concurrency", "4", "--artifact-dir", "out/run_1"],
      ["--concurrency", "4", "--artifact-dir", "out/run_2"],
    ],
  );
});

Deno.test("guidellm: a sweep is one of concurrency, from one request to its limit", async () => {
  for (
    const [command, counts] of [
      ["guidellm benchmark --profile sweep", "1,2,4,8,16,32,64,128,256,512"],
      ["guidellm benchmark --max-seconds 30", "1,2,4,8,16,32,64,128,256,512"],
      ["guidellm benchmark --profile sweep --rate 4", "1,8,64,512"],
      ["guidellm run --profile kind=sweep,sweep_size=5,max_concurrency=16", "1,2,4,8,16"],
      ["guidellm run --profile kind=sweep,sweep_size=10,max_concurrency=6", "1,2,3,4,5,6"],
    ] as const
  ) {
    const { lines, notes } = await translate(words(command), noFile);
    assert.equal(lines.length, 1, command);
    assert.deepEqual(lines[0]?.slice(-2), ["--concurrency", counts], command);
    assert.ok(!notes.some((note) => note.includes("no counterpart")), `${notes}`);
    assert.ok(notes.some((note) => note.includes("a sweep of concurrency")), `${notes}`);
  }
});

Deno.test("guidellm run: a limit of requests in flight stays one beside a rate", async () => {
  assert.match(
    await line("guidellm run --profile kind=poisson,rate=5,max_concurrency=7"),
    /--arrival-pattern poisson --concurrency 7 --request-rate 5$/,
  );
});

Deno.test("guidellm benchmark: options of its later versions", async () => {
  const { lines, notes } = await translate(
    words(
      "guidellm benchmark run --target http://h:1 --profile concurrent --rate 16 --rate 32 " +
        "--request-type text_completions --warmup 5 --max-seconds 60 --rampup 10 --max-errors 5 " +
        "--detect-saturation --outputs json csv --output-dir results --data hf:openai/gsm8k",
    ),
    noFile,
  );
  assert.deepEqual(lines.map((one) => one.slice(-2)), [["--concurrency", "16,32"]]);
  assert.match(
    (lines[0] as string[]).join(" "),
    /--endpoint-type completions .*--public-dataset spec_al_gsm8k --benchmark-duration 60 --warmup-duration 5 --concurrency-ramp-duration 10 --artifact-dir results/,
  );
  assert.match(notes.join("\n"), /--max-errors: no .*\n.*--detect-saturation: no /);
  assert.match(
    await line("guidellm benchmark --rate-type constant --rate 2 --warmup 0.1 --max-requests 50"),
    /--request-count 50 --warmup-request-count 5 --arrival-pattern constant --request-rate 2/,
  );
});

Deno.test("inference-perf: settings of the command line override those of the file", async () => {
  const file =
    "load: {type: constant, stages: [{rate: 1, duration: 30}]}\nserver: {model_name: m}\n" +
    "data: {type: random, input_distribution: {mean: 50, std: 10, std_dev: 5}}\n";
  const { lines, notes } = await translate(
    words(
      "inference-perf --config_file f.yml --server.base_url http://h:1 --api.streaming --load.type=poisson",
    ),
    () => Promise.resolve(file),
  );
  assert.match(
    (lines[0] as string[]).join(" "),
    /--url http:\/\/h:1 --model m .*--streaming .*--isl 50 --isl-stddev 5 .*--arrival-pattern poisson/,
  );
  assert.ok(notes.some((note) => note.startsWith("data.input_distribution.std: no ")), `${notes}`);
  await assert.rejects(
    translate(
      words("inference-perf --config_file f.yml --load.tipe poisson"),
      () => Promise.resolve(file),
    ),
    /did you mean load\.type\?/,
  );
});

Deno.test("a command line in one word is read as a shell reads it", async () => {
  const whole =
    'vllm bench serve --model \'my model\' \\\n  --num-prompts 5 --extra-body "{\\"a\\":1}"';
  for (const given of [[whole], ["bash", "-lc", whole]]) {
    const { lines } = await translate(given, noFile);
    const [made = []] = lines;
    assert.equal(made[made.indexOf("--model") + 1], "my model");
    assert.equal(made[made.indexOf("--request-count") + 1], "5");
    assert.ok(made.includes('{"a":1}'), made.join(" "));
  }
  const nested = await translate(["sh -c 'vllm bench serve --num-prompts 5'"], noFile);
  assert.ok(nested.lines[0]?.includes("5"), "a shell in a shell's word");
  await assert.rejects(translate(["vllm bench serve --model 'm"], noFile), /not closed: 'm/);
});

Deno.test("guidellm run: several data, kinds of API, traces, values in turns", async () => {
  assert.match(
    await line(
      "guidellm run --backend kind=openai_http,target=http://h:1,extras.body.top_k=5 " +
        "--data kind=synthetic_text,prompt_tokens=200 " +
        "--data kind=synthetic_image,resolution=720p,images_per_request=2,output_tokens=64",
    ),
    /--extra-inputs \{"top_k":5\} ignore_eos:true --isl 200 --image-width-mean 1280 --image-height-mean 720 --image-batch-size 2 --osl 64/,
  );
  assert.match(
    await line(
      "guidellm run --backend kind=openai_http,request_format=/v1/embeddings --data kind=synthetic_text,prompt_tokens=8",
    ),
    /--endpoint-type embeddings --isl 8/,
  );
  assert.match(
    await line(
      "guidellm run --profile kind=replay,time_scale=0.5 --data kind=trace_synthetic,path=t.jsonl",
    ),
    /--input-file t.jsonl --custom-dataset-type mooncake-trace --fixed-schedule --synthesis-speedup-ratio 2$/,
  );
  assert.match(
    await line("guidellm run --profile kind=constant --override profile.rate 10,20"),
    /--request-rate 10,20$/,
  );
});

Deno.test("guidellm run: settings as pairs", async () => {
  assert.match(
    await line(
      "guidellm run --backend kind=openai_http,target=http://h:1,model=m --profile kind=constant,rate=5 " +
        "--constraint kind=max_requests,value=100 --data kind=synthetic_text,prompt_tokens=64,output_tokens=16",
    ),
    /--url http:\/\/h:1 --model m .*--request-count 100 --arrival-pattern constant --request-rate 5$/,
  );
});

Deno.test("inference-perf: stages are points of a sweep, paths that are not known are refused", async () => {
  const file = (text: string) => () => Promise.resolve(text);
  const { lines, notes } = await translate(
    ["inference-perf", "-c", "a.yml"],
    file(
      `server: {base_url: "http://h:1", model_name: m, ignore_eos: false}
api: {type: chat, streaming: true}
data: {type: random, input_distribution: {mean: 100, std_dev: 10, min: 5}}
load:
  type: poisson
  stages: [{rate: 1, duration: 30}, {rate: 2, duration: 30}]
report: {goodput: {constraints: {ttft: 0.2}}}
`,
    ),
  );
  assert.equal(lines.length, 1);
  assert.equal(
    (lines[0] as string[]).join(" "),
    "profile --url http://h:1 --model m --endpoint-type chat --streaming --isl 100 --isl-stddev 10 " +
      "--arrival-pattern poisson --benchmark-grace-period 120 --goodput time_to_first_token:200 " +
      "--request-rate 1,2 --benchmark-duration 30",
  );
  assert.ok(notes.some((note) => note.startsWith("data.input_distribution.min: no counterpart")));
  await assert.rejects(
    translate(["a.yaml"], file("server: {base_ulr: x}\n")),
    new UsageError(
      "a.yaml: server.base_ulr",
      "inference-perf has no such setting; did you mean server.base_url?",
    ),
  );
});

Deno.test("inference-perf: stages that differ in two values are swept one by one", async () => {
  const of = async (stages: string) => {
    const { lines } = await translate(
      ["inference-perf", "-c", "a.yml"],
      () => Promise.resolve(`server: {base_url: "http://h:1"}\nload: {stages: [${stages}]}\n`),
    );
    return lines.map((one) => one.slice(one.indexOf("--request-rate")).join(" "));
  };
  assert.deepEqual(
    await of("{rate: 1, duration: 30}, {rate: 2, duration: 60}"),
    ["--request-rate 1,2 --benchmark-duration 30,60 --sweep-type zip"],
  );
  assert.deepEqual(
    await of("{rate: 1, duration: 30}, {rate: 2, duration: 60}, {rate: 4, duration: 30}"),
    [1, 2, 4].map((rate, index) =>
      `--request-rate ${rate} --benchmark-duration ${rate === 2 ? 60 : 30} ` +
      `--artifact-dir artifacts/run_${index + 1}`
    ),
  );
});

Deno.test("inference-perf: adapters by their shares, ShareGPT's own file", async () => {
  const { lines, notes } = await translate(
    ["inference-perf", "-c", "a.yml"],
    () =>
      Promise.resolve(`server: {base_url: "http://h:1", model_name: m}
api: {type: completion}
data: {type: shareGPT, path: s.json}
load:
  stages: [{rate: 1, duration: 30}]
  lora_traffic_split: [{name: a, split: 0.7}, {name: b, split: 0.3}]
`),
  );
  const made = (lines[0] as string[]).join(" ");
  assert.match(made, /--model a,b --model-selection-strategy weighted --model-weights 0.7,0.3/);
  assert.match(made, /--public-dataset sharegpt --public-dataset-folder s.json/);
  assert.deepEqual(notes, []);
});

Deno.test("inference-perf: shared prefixes, levels of concurrency, loads without a counterpart", async () => {
  const of = (text: string) =>
    translate(["inference-perf", "-c", "a.yml"], () => Promise.resolve(text));
  const server = `server: {base_url: "http://h:1", model_name: m}`;
  const { lines } = await of(`${server}
data:
  type: shared_prefix
  shared_prefix: {num_unique_system_prompts: 3, num_users_per_system_prompt: 4, system_prompt_len: 70,
    question_len: 20, output_len: 9}
load: {type: concurrent, stages: [{num_requests: 8, concurrency_level: 2}]}
`);
  const [text] = lines.map((one) => one.join(" "));
  assert.equal(lines.length, 1);
  for (
    const part of [
      ...["--num-prefix-prompts 3", "--num-dataset-entries 12", "--prefix-prompt-length 70"],
      ...["--isl 20", "--osl 9", "--concurrency 2 --request-count 8"],
    ]
  ) assert.ok(text?.includes(part), `${part}: ${text}`);
  const { notes } = await of(`${server}
data: {type: mock}
load: {type: trace_replay, stages: [{rate: 1, duration: 3}]}
`);
  assert.ok(notes.some((note) => note.startsWith("load.type: no counterpart")), `${notes}`);
  assert.ok(notes.some((note) => note.startsWith("load.stages: no counterpart")), `${notes}`);
});

Deno.test("inference-perf: even lengths, prefixes of a distribution, pictures", async () => {
  const even =
    "data:\n  type: random\n  input_distribution: {type: uniform, min: 100, max: 300}\n" +
    "  output_distribution: {type: fixed, mean: 64, min: 64, max: 64}\n" +
    "  multimodal:\n    image:\n      count: {type: uniform, min: 1, max: 3, mean: 2}\n" +
    "      resolutions: [{resolution: 720p, weight: 0.2}, {resolution: 1080p, weight: 0.8}]\n";
  const made = await translate(["inference-perf", "-c", "c.yml"], () => Promise.resolve(even));
  assert.match(
    (made.lines[0] as string[]).join(" "),
    /--isl 200 --osl 64 --random-range-ratio \{"input":0.5,"output":0\} --image-batch-size 2 --image-width-mean 1920 --image-height-mean 1080/,
  );
  const prefix = "data:\n  type: shared_prefix\n  shared_prefix:\n" +
    "    system_prompt_len: {type: fixed, min: 200, max: 200, mean: 200}\n" +
    "    question_len: {type: lognormal, mean: 50, std_dev: 5}\n    output_len: 7\n";
  const shared = await translate(["c.yml"], () => Promise.resolve(prefix));
  assert.match(
    (shared.lines[0] as string[]).join(" "),
    /--prefix-prompt-length 200 --isl 50 --isl-stddev 5 --osl 7/,
  );
});

Deno.test("translate refuses options and tools that it does not know, with the nearest", async () => {
  await assert.rejects(
    translate(words("vllm bench serve --num-promts 3"), noFile),
    /--num-promts.*no such option; did you mean --num-prompts\?/,
  );
  await assert.rejects(
    translate(words("vllm bench serv"), noFile),
    /did you mean vllm bench serve\?/,
  );
  await assert.rejects(translate(words("vllm bench serve --seed"), noFile), /Expected a value/);
  await assert.rejects(
    translate(words("vllm bench serve --request-rate fast"), noFile),
    /Expected a number: got "fast"/,
  );
});

Deno.test("several adapters are one word of --model, and all prompts are a number to be given", async () => {
  assert.match(
    await line("vllm bench serve --model m --lora-modules a b c"),
    / --model a,b,c --model-selection-strategy random /,
  );
  assert.match(
    await line("python -m sglang.bench_serving --backend sglang-oai --lora-name a b"),
    / --model a,b /,
  );
  const all = await translate(words("vllm bench serve --model m --num-prompts -1"), noFile);
  assert.ok(!all.lines[0]?.includes("--request-count"));
  assert.ok(all.notes.some((note) => note.includes("--num-prompts") && note.includes("-1 is all")));
});
