/** Configuration files: one to start from, and the values in force as one. */

import assert from "node:assert/strict";
import { readConfigFile } from "../../../src/config/options/config/config_file.ts";
import { specsOf } from "../../../src/config/options/option.ts";
import { PROFILE_COMMAND_OPTIONS } from "../../../src/config/options/commands/option_tables.ts";
import { resolveOptions } from "../../../src/config/options/resolve_options.ts";
import { withFolder } from "../../support/artifacts.ts";
import { runCli } from "../../support/run_cli.ts";

/** What the program reads of a configuration. */
async function read(folder: string, text: string): Promise<Record<string, unknown>> {
  const path = `${folder}/${crypto.randomUUID()}.yaml`;
  await Deno.writeTextFile(path, text);
  return await readConfigFile(path, PROFILE_COMMAND_OPTIONS);
}

Deno.test("config init writes a file whose every line can be used, and overwrites none", () =>
  withFolder(async (folder) => {
    const { code, stdout, stderr } = await runCli(["config", "init"], { cwd: folder });
    assert.deepEqual([code, stderr], [0, ""]);
    assert.match(
      stdout,
      /^Wrote run\.yaml; use it with: inferometer profile --config run\.yaml\n$/,
    );
    const text = await Deno.readTextFile(`${folder}/run.yaml`);
    assert.deepEqual(await read(folder, text), { url: ["http://localhost:8000"] });
    const common = specsOf(PROFILE_COMMAND_OPTIONS).filter(({ common, inFile, secret }) =>
      common && inFile !== false && secret !== "value"
    );
    const set = await read(folder, text.replace(/^# (?=[a-z-]+: )/gm, ""));
    assert.deepEqual(Object.keys(set).sort(), common.map(({ name }) => name).sort());
    for (const [name, value] of Object.entries(set)) {
      resolveOptions(PROFILE_COMMAND_OPTIONS, { [name]: value });
    }
    const again = await runCli(["config", "init"], { cwd: folder });
    assert.equal(again.code, 2);
    assert.match(
      again.stderr,
      /^error: run\.yaml: File already exists and is left unchanged\n$/,
    );
    assert.equal(await Deno.readTextFile(`${folder}/run.yaml`), text);
    assert.equal((await runCli(["config", "init", "-"], { cwd: folder })).stdout, text);
  }));

Deno.test("config print says where each value comes from, and sets the same when it is read", () =>
  withFolder(async (folder) => {
    await Deno.writeTextFile(
      `${folder}/run.yaml`,
      'url: [h1:1, "h2:2"]\nconcurrency: 3\nosl: 7\nextra-inputs: {ignore_eos: true}\n',
    );
    const { code, stdout, stderr } = await runCli([
      ...["config", "print", "--config", "run.yaml", "--concurrency", "5", "--header", "A: # b"],
      ...["--header", "C: d: e", "--request-rate", "inf", "--goodput", "latency:5\nttft:6"],
    ], {
      cwd: folder,
      env: { "INFEROMETER_STREAMING": "yes", "INFEROMETER_API_KEY": "sk-0123456789abcdef" },
    });
    assert.deepEqual([code, stderr], [0, ""]);
    for (
      const line of [
        /^url: \[ h1:1, h2:2 \] +# run\.yaml$/m,
        /^concurrency: 5 +# --concurrency$/m,
        /^osl: 7 +# run\.yaml$/m,
        /^streaming: true +# INFEROMETER_STREAMING$/m,
        /^# api-key: <redacted> +# INFEROMETER_API_KEY$/m,
        /^# isl: 550 +# default$/m,
        /^# workers: +# default: cores - 1/m,
        /^# ---- Load$/m,
      ]
    ) assert.match(stdout, line);
    assert.ok(!stdout.includes("sk-0123456789abcdef"));
    assert.deepEqual(await read(folder, stdout), {
      url: ["h1:1", "h2:2"],
      streaming: true,
      header: ["A: # b", "C: d: e"],
      extraInputs: ['{"ignore_eos":true}'],
      osl: 7,
      concurrency: 5,
      requestRate: Infinity,
      goodput: "latency:5\nttft:6",
    });
  }));

Deno.test("config print refuses what profile refuses", async () => {
  for (
    const [args, message] of [
      [["print", "--concurrency", "0"], /--concurrency: Must be at least 1: got 0/],
      [["print", "--osl-stddev", "1"], /--osl-stddev: Needs --osl/],
      [["print", "run.yaml"], /Name the file with --config run\.yaml/],
      [["show"], /There is config init, validate, expand and print: got "show"/],
    ] as const
  ) {
    const { code, stdout, stderr } = await runCli(["config", ...args]);
    assert.deepEqual([code, stdout], [2, ""]);
    assert.match(stderr, message);
  }
});

Deno.test("config init writes the template that is asked for, with the user's server and model", () =>
  withFolder(async (folder) => {
    const cli = (...args: string[]) => runCli(["config", ...args], { cwd: folder });
    const [first, dashed, long, listed] = await Promise.all([
      cli("init", "kv_cache_test", "a.yaml", "--url", "http://h:1", "--model", "m"),
      cli("init", "kv-cache-test", "-"),
      cli("init", "--template", "KV_CACHE_TEST", "--output", "b.yaml"),
      cli("init", "--list"),
    ]);
    assert.deepEqual([first, dashed, long, listed].map(({ code }) => code), [0, 0, 0, 0]);
    assert.deepEqual(await Deno.readTextFile(`${folder}/b.yaml`), dashed.stdout);
    const text = await Deno.readTextFile(`${folder}/a.yaml`);
    assert.match(text, /^# Each prompt begins/m, "comments stay");
    const { url, model, ...others } = await read(folder, text);
    assert.deepEqual([url, model], [["http://h:1"], ["m"]]);
    const { url: _, ...unchanged } = await read(folder, dashed.stdout);
    assert.deepEqual(others, unchanged);
    assert.ok(listed.stdout.trim().split("\n").length >= 20);
    const wrong = await cli("init", "kv_cash_test");
    assert.equal(wrong.code, 2);
    assert.match(wrong.stderr, /no template "kv_cash_test", did you mean "kv_cache_test"\?/);
  }));

Deno.test("config validate makes the plan of every point, and names what cannot be used", () =>
  withFolder(async (folder) => {
    const validate = async (text: string, ...args: string[]) => {
      await Deno.writeTextFile(`${folder}/x.yaml`, text);
      const { code, stdout, stderr } = await runCli(["config", "validate", "x.yaml", ...args], {
        cwd: folder,
        env: { "INFEROMETER_VAR_USERS": "3" },
      });
      return { code, text: stdout + stderr };
    };
    const sweep = "streaming: true\nconcurrency: [4, 8]\nisl: [1, 2]\nnum-profile-runs: 2\n";
    assert.deepEqual(await validate("concurrency: ${USERS}\n"), {
      code: 0,
      text: "x.yaml is valid: one run\n",
    });
    const elsewhere = await validate("url: http://no-such-host.invalid\nconcurrency: [1, 2]\n");
    assert.equal(elsewhere.code, 0);
    assert.match(elsewhere.text, /2 points[^]*warning: .*no-such-host\.invalid cannot be resolved/);
    const points = await validate(sweep);
    assert.equal(points.code, 0, points.text);
    assert.match(points.text, /x\.yaml is valid: 4 points, 2 runs of each/);
    for (
      const [text, message] of [
        // The first point could be made.
        [
          `${sweep}prefill-concurrency: [2, 6]\n`,
          /prefill-concurrency.*in the point concurrency=4/,
        ],
        ["concurrency: ${NOT_SET}\n", /x\.yaml:1:14: The variable NOT_SET is not set/],
        ["benchmark: {}\n", /x\.yaml:1:1: "benchmark" is a section of AIPerf's files/],
        ["input-file: nowhere.jsonl\n", /nowhere\.jsonl: File does not exist/],
      ] as const
    ) {
      const result = await validate(text);
      assert.equal(result.code, 2, text);
      assert.match(result.text, message);
    }
    assert.equal((await validate("concurrency: 4\n", "--prefill-concurrency", "5")).code, 2);
  }));

Deno.test("config expand prints texts that are no variables so that they stay what they are", () =>
  withFolder(async (folder) => {
    const texts = {
      "header": ["X-A: $${NAME:x}", "X-B: $$${NAME:y} ${NAME:z}"],
      "system-prompt": "Pay $${5} and $",
      "tokenizer-revision": "0123e10",
    };
    await Deno.writeTextFile(`${folder}/x.yaml`, JSON.stringify(texts));
    const { code, stdout } = await runCli(["config", "expand", "x.yaml"], { cwd: folder });
    assert.equal(code, 0);
    const values = {
      header: ["X-A: ${NAME:x}", "X-B: $${NAME:y} z"],
      systemPrompt: "Pay ${5} and $",
      tokenizerRevision: "0123e10",
    };
    assert.deepEqual(await read(folder, await Deno.readTextFile(`${folder}/x.yaml`)), values);
    assert.deepEqual(await read(folder, stdout), values);
  }));

Deno.test("config expand prints what a file comes to, and each point as a file of its own", () =>
  withFolder(async (folder) => {
    await Deno.writeTextFile(
      `${folder}/x.yaml`,
      'variables: {base: 2}\nconcurrency: ["{{ base }}", "{{ base * 4 }}"]\nosl: [3, 5]\n' +
        "sweep-type: zip\nisl: ${ISL:77}\n",
    );
    const expand = async (...args: string[]) => {
      const { code, stdout, stderr } = await runCli(["config", "expand", "x.yaml", ...args], {
        cwd: folder,
      });
      assert.equal(code, 0, stderr);
      return stdout;
    };
    const all = await expand();
    assert.match(
      all,
      /^# 2 points \(zip\)\n# {3}0 {2}concurrency=2, osl=3 +concurrency_2__osl_3\n/,
    );
    assert.deepEqual(await read(folder, all), {
      ...{ concurrency: [2, 8], osl: [3, 5] },
      ...{ sweepType: "zip", isl: 77 },
    });
    const [first, second, ...more] = (await expand("--full")).split("---\n");
    assert.equal(more.length, 0);
    const point = { concurrency: 8, osl: 5, isl: 77, randomSeed: 43, sweepType: "zip" };
    assert.deepEqual(await read(folder, second as string), point);
    assert.match(first as string, /^# request-timeout-seconds: 21600/m, "defaults are there");
    const one = await expand("--index", "1");
    assert.deepEqual(await read(folder, one), point);
    assert.doesNotMatch(one, /request-timeout-seconds/);
    const { code, stderr } = await runCli(["config", "expand", "x.yaml", "--index", "2"], {
      cwd: folder,
    });
    assert.equal(code, 2);
    assert.match(stderr, /^error: --index: Must be at most 1: got 2$/m);
  }));
