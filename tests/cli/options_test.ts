import assert from "node:assert/strict";
import { CONFIG_OPTIONS } from "../../src/config/options/commands/config_options.ts";
import { flagOf, specsOf, variablesOf } from "../../src/config/options/option.ts";
import {
  OPTION_TABLES,
  PROFILE_COMMAND_OPTIONS,
} from "../../src/config/options/commands/option_tables.ts";
import { COMMANDS } from "../../src/cli/commands.ts";
import { withFolder } from "../support/artifacts.ts";
import { runCli } from "../support/run_cli.ts";

const DRY = ["profile", "--dry-run", "--url", "127.0.0.1:8000", "--model", "m"];

async function dryRun(args: readonly string[], env: Record<string, string> = {}): Promise<string> {
  const { code, stdout, stderr } = await runCli([...DRY, ...args], { env });
  assert.equal(code, 0, stderr);
  return stdout;
}

Deno.test("options have names, aliases and variables that nothing else has", () => {
  for (const specs of [...OPTION_TABLES.values()].map(specsOf)) {
    const names = specs.flatMap((spec) => [
      flagOf(spec.name),
      ...[...spec.aliases ?? [], ...spec.mistakenFor ?? []].map((alias) => `--${alias}`),
      ...variablesOf(spec),
      ...(spec.short === undefined ? [] : [`-${spec.short}`]),
    ]);
    assert.equal(new Set(names).size, names.length);
  }
});

Deno.test("profile takes AIPerf's spellings, with = and _ too", async () => {
  const shown = await dryRun([
    ...[
      "--endpoint",
      "/go",
      "--num-requests=7",
      "--output-artifact-dir",
      "out",
      "--request_rate",
      "5",
    ],
    ...[
      "--request-rate-mode",
      "constant",
      "--synthetic-input-tokens-mean",
      "99",
      "--ui-type",
      "none",
    ],
    ...[
      "--profile-export-file",
      "x.json",
      "--goodput-constraints",
      "latency:5",
      "--max-workers",
      "1",
    ],
  ]);
  assert.match(shown, /POST http:\/\/127\.0\.0\.1:8000\/go/);
  assert.match(shown, /5 requests\/s, constant, 7 requests/);
  assert.match(shown, /synthetic of 99 \+- 0 tokens/);
  assert.match(shown, /artifacts +out/);
});

Deno.test("profile takes what AIPerf takes and what changes nothing here, and says so in one line", async () => {
  const run = (args: readonly string[]) => runCli([...DRY, "--random-seed", "1", ...args]);
  const silent = [
    ...["--transport", "http", "--url-strategy", "round_robin", "--batch-size", "1"],
    ...["--model-selection-strategy", "round-robin", "--no-auto-plot"],
    ...["--num-profile-runs", "1", "--no-fixed-schedule"],
  ];
  const said = [
    ...["-v", "--log-level", "DEBUG", "--record-processors", "4", "--zmq-host", "127.0.0.1"],
    ...["--stats-interval", "5", "--tokenizer-trust-remote-code"],
  ];
  assert.deepEqual(await run(silent), await run([]));
  const { code, stdout, stderr } = await run(said);
  assert.deepEqual([code, stdout], [0, (await run([])).stdout]);
  assert.equal(
    stderr,
    "warning: --verbose, --log-level, --stats-interval, --record-processors, " +
      "--tokenizer-trust-remote-code, --zmq-host have no effect in inferometer\n",
  );
  assert.match((await run(["-vv"])).stderr, /^warning: --verbose has no effect in inferometer\n$/);
});

Deno.test("profile prefers flags to variables, and variables to the file", async () => {
  await withFolder(async (folder) => {
    const file = `${folder}/run.yaml`;
    await Deno.writeTextFile(file, "concurrency: 3\nisl: 33\nosl: 333\n");
    const env = { INFEROMETER_CONCURRENCY: "4", INFEROMETER_ISL: "44" };
    const shown = await dryRun(["--config", file, "--concurrency", "5"], env);
    assert.match(shown, /5 requests in flight/);
    assert.match(shown, /synthetic of 44 /);
    assert.match(shown, /max tokens +333/);
    const fromVariable = await dryRun([], { ...env, INFEROMETER_CONFIG: file });
    assert.match(fromVariable, /4 requests in flight/);
  });
});

Deno.test("profile --dry-run tells output lengths that are drawn, and shares as they were given", async () => {
  const mixture = await dryRun([
    ...["--seq-dist", "256,128:40;512,64|8:60", "--request-cancellation-rate", "7"],
  ]);
  assert.match(mixture, /max tokens +128 \(40 %\), 64 \+- 8 \(60 %\)\n/);
  assert.match(mixture, / 7 % cancelled/);
  const range = ["--isl", "1000", "--osl", "200", "--random-range-ratio", "0.2"];
  assert.match(await dryRun(range), /max tokens +160 to 240\n/);
  const file = new URL("../../fixtures/datasets/mooncake_trace.jsonl", import.meta.url).pathname;
  assert.match(
    await dryRun(["--input-file", file, "--no-fixed-schedule"]),
    /max tokens +from the input file, else up to the server\n/,
  );
});

Deno.test("profile shows what each thread may do, before anything is sent", async () => {
  const shown = await dryRun(["--request-rate", "5", "--url", "127.0.0.1:8001", "localhost:8002"]);
  assert.match(shown, /load worker x \d+ [\s\S]*127\.0\.0\.1:8001[\s\S]*localhost:8002/);
  assert.match(shown, /pacer +│ - /);
  assert.match(shown, /results worker +│ - +│ artifacts/);
});

Deno.test("profile --dry-run says that the server will be asked for its model, and asks nobody", async () => {
  const args = ["profile", "--dry-run", "--url", "127.0.0.1:1", "--concurrency", "2"];
  const { code, stdout, stderr } = await runCli(args);
  assert.deepEqual([code, stderr], [0, ""]);
  assert.match(stdout, /^ {2}model +the first that the server lists$/m);
  assert.match(stdout, /^ {2}artifacts +artifacts\/<model>-openai-chat-concurrency2 \(records\)$/m);
  assert.match(stdout, /results worker +│ - +│ artifacts\/<model>-openai-chat-concurrency2 /);
});

Deno.test("every command with options has them in the tables", () => {
  // Options of config stand beside all of profile's, which config print takes as well.
  const tables = COMMANDS.filter(({ table }) => table !== undefined)
    .map(({ name, table }) => [name, name === "config" ? CONFIG_OPTIONS : table] as const);
  assert.deepEqual(new Map(tables), new Map(OPTION_TABLES));
});

Deno.test("wrong usage is told in one line with the option's name, and exits with 2", async () => {
  const cases: [string[], RegExp][] = [
    [
      ["profile", "--concurency", "5"],
      /unknown option '--concurency' \(Did you mean --concurrency\?\)/,
    ],
    [["profil"], /unknown command 'profil' \(Did you mean profile\?\)/],
    [[...DRY, "--concurrency", "0"], /--concurrency: Must be at least 1: got 0/],
    [[...DRY, "--concurrency", "many"], /--concurrency: Must be a number: got "many"/],
    [[...DRY, "--goodput", "tttf:1"], /--goodput: Unknown metric "tttf"/],
    [[...DRY, "--ui", "fancy"], /--ui: Must be one of auto, simple, dashboard, none: got "fancy"/],
    [[...DRY, "--config", "/nowhere.yaml"], /--config: \/nowhere\.yaml: File does not exist/],
    [[...DRY, "extra"], /Unexpected argument "extra": options begin with --/],
    [["report", "a", "b"], /too many arguments for 'report'/],
    [["mock", "--port", "99999"], /--port: Must be at most 65535/],
    [["mock", "--ttft", "soon"], /--ttft: Must be milliseconds or one of uniform/],
    [["mock", "--faults", "lightning:1"], /--faults: Expected one of 429, 500/],
  ];
  for (const [args, message] of cases) {
    const { code, stderr, stdout } = await runCli(args);
    assert.equal(code, 2, `${args.join(" ")}: ${stderr}`);
    assert.match(stderr, message);
    assert.equal(stderr.trim().split("\n").length, 1, stderr);
    assert.equal(stdout, "");
  }
});

Deno.test("a variable that cannot be used is named", async () => {
  const { code, stderr } = await runCli(DRY, { env: { INFEROMETER_CONCURRENCY: "x" } });
  assert.equal(code, 2);
  assert.match(stderr, /--concurrency \(variable INFEROMETER_CONCURRENCY\): Must be a number/);
});

Deno.test("thresholds may be set by AIPerf's variables", async () => {
  const { code, stderr } = await runCli(DRY, {
    env: { AIPERF_METRICS_OSL_MISMATCH_PCT_THRESHOLD: "x" },
  });
  assert.equal(code, 2);
  assert.match(stderr, /AIPERF_METRICS_OSL_MISMATCH_PCT_THRESHOLD/);
});

Deno.test("help shows what most runs use, and the rest by groups, in 80 columns and whole words", async () => {
  const help = async (...args: string[]): Promise<string> => {
    const { code, stdout, stderr } = await runCli(args);
    assert.deepEqual([code, stderr], [0, ""]);
    for (const line of stdout.split("\n")) assert.ok(line.length <= 80, line);
    return stdout;
  };
  const specs = specsOf(PROFILE_COMMAND_OPTIONS).filter(({ hidden }) => !hidden);
  const flagsIn = (text: string): string[] =>
    [...text.matchAll(/^ {2}(?:-\w, | {4})(--[\w-]+)/gm)].map(([, flag]) => flag as string);
  const brief = await help("profile", "--help");
  assert.deepEqual(
    flagsIn(brief),
    specs.filter(({ brief }) => brief !== undefined).map(({ name }) => flagOf(name)),
  );
  assert.equal(flagsIn(brief).length, 10);
  assert.ok(brief.trimEnd().split("\n").length < 24, "one screen with the prompt");
  const all = await help("profile", "--help", "all");
  const flags = specs.map(({ name }) => flagOf(name));
  assert.deepEqual(flagsIn(all).sort(), [...flags, "--help"].sort());
  const words = new Set(all.split(/\s+/));
  const tasks = [...brief.replaceAll("\n", " ").matchAll(/--help TASK \(([a-z, ]+)\)/g)]
    .flatMap(([, names = ""]) => names.split(", "));
  const ofTasks = await Promise.all(tasks.map((task) => help("profile", "--help", task)));
  const inTasks = ofTasks.flatMap((text) => flagsIn(text).slice(0, -1));
  assert.deepEqual(inTasks, flagsIn(all).slice(0, -1), "every option belongs to one task");
  for (const { group, help: sentence } of specs) {
    assert.ok(all.includes(`\n${group}:\n`), group);
    for (const word of sentence.split(" ")) assert.ok(words.has(word), word);
    const ofGroup = await helpOfGroup(group, help);
    assert.deepEqual(
      flagsIn(ofGroup).slice(0, -1),
      specs.filter((spec) => spec.group === group).map(({ name }) => flagOf(name)),
    );
  }
  const program = await help("--help");
  assert.equal(program, await help());
  assert.ok(program.trimEnd().split("\n").length <= 24, "one screen");
  for (const { name, operands = "", table = {}, isRare } of COMMANDS) {
    assert.match(
      program,
      new RegExp(isRare === true ? `^  also: [^:]*\\b${name}\\b` : `^  ${name} `, "m"),
    );
    if (name === "profile") continue;
    const shown = await help(name, "--help");
    assert.ok(shown.startsWith(`Usage: inferometer ${name} ${operands}`.trim()), shown);
    if (name === "config") continue;
    assert.deepEqual(
      flagsIn(shown).sort(),
      [...specsOf(table).map(({ name }) => flagOf(name)), "--help"].sort(),
    );
  }
});

const groups = new Map<string, Promise<string>>();

function helpOfGroup(
  group: string,
  help: (...args: string[]) => Promise<string>,
): Promise<string> {
  const topic = group.toUpperCase().replaceAll(" ", "_");
  const text = groups.get(topic) ?? help("profile", "--help", topic);
  groups.set(topic, text);
  return text;
}

Deno.test("another tool's name for an option, and a server without one, are answered with the option", async () => {
  const cases: [string[], RegExp][] = [
    [["-c", "5"], /unknown option '-c' \(Did you mean --concurrency\?\)/],
    [["-c5"], /unknown option '-c' \(Did you mean --concurrency\?\)/],
    [["-n", "5"], /unknown option '-n' \(Did you mean --request-count\?\)/],
    [["-concurrency", "5"], /unknown option '-concurrency' \(Did you mean --concurrency\?\)/],
    [["--search-max", "5"], /'--search-max' \(Did you mean --search-max-iterations\?\)/],
    [["--junit"], /unknown option '--junit' \(--help lists the options\)/],
    [["--rate", "5"], /unknown option '--rate' \(Did you mean --request-rate\?\)/],
    [["--duration=5"], /unknown option '--duration' \(Did you mean --benchmark-duration\?\)/],
    [["--target", "x"], /unknown option '--target' \(Did you mean --url\?\)/],
    [["--base-url", "x"], /unknown option '--base-url' \(Did you mean --url\?\)/],
    [["--max_concurrency", "5"], /'--max-concurrency' \(Did you mean --concurrency\?\)/],
    [["--api-kye=sk-secret"], /unknown option '--api-kye' \(Did you mean --api-key\?\)\n$/],
    [["-q"], /unknown option '-q' \(--help lists the options\)\n$/],
    [["localhost:8000"], /--url: A server is named with this option: --url localhost:8000/],
    [["org/some-model"], /--model: A model is named with this option: --model org\/some-model/],
    [["org/some-model", "--accuracy-benchmark", "mmlu"], /--accuracy-benchmark: .* are not graded/],
    [["--streaming", "http://u:pw@h/v1"], /--url: .*--url \S*@h\/v1\n$/],
    [
      ["--help", "nothing"],
      /--help: Unknown topic: got "nothing"; use one of all, connect, .*server-metrics, /,
    ],
  ];
  for (const [args, message] of cases) {
    const { code, stdout, stderr } = await runCli(["profile", ...args]);
    assert.deepEqual([code, stdout], [2, ""], args.join(" "));
    assert.match(stderr, message);
    assert.ok(!/sk-secret|u:pw/.test(stderr), stderr);
  }
});

Deno.test("a variable that sets no option is named, whatever command runs", async () => {
  const env = {
    ...{ INFEROMETER_CONCURENCY: "5", INFEROMETER_XYZZY_PLUGH: "1", INFEROMETER_ISL: "7" },
    ...{ INFEROMETER_INTERVAL: "1", INFEROMETER_EMPTY_ONE: "", OTHER_CONCURENCY: "1" },
  };
  const warnings = "warning: The variable INFEROMETER_CONCURENCY sets no option, did you mean " +
    "INFEROMETER_CONCURRENCY?\n" +
    "warning: The variable INFEROMETER_XYZZY_PLUGH sets no option\n";
  const { code, stdout, stderr } = await runCli(DRY, { env });
  assert.deepEqual([code, stderr], [0, warnings]);
  assert.match(stdout, /synthetic of 7 /);
  assert.equal((await runCli(["version"], { env })).stderr, warnings);
  assert.equal((await runCli(["complete", "--", "prof"], { env })).stderr, "");
});

Deno.test("version comes from its own option", async () => {
  const { version } = JSON.parse(
    await Deno.readTextFile(new URL("../../deno.json", import.meta.url)),
  );
  assert.equal((await runCli(["--version"])).stdout, `${version}\n`);
});
