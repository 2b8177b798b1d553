/** Configuration files: one to start from, and the values in force as one. */

import assert from "node:assert/strict";
import { readConfigFile } from "../../src/options/config_file.ts";
import { specsOf } from "../../src/options/option.ts";
import { PROFILE_COMMAND_OPTIONS } from "../../src/options/option_tables.ts";
import { resolveOptions } from "../../src/options/resolve_options.ts";
import { withFolder } from "../support/artifacts.ts";
import { runCli } from "../support/run_cli.ts";

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
      [["show"], /There is config init and config print: got "show"/],
    ] as const
  ) {
    const { code, stdout, stderr } = await runCli(["config", ...args]);
    assert.deepEqual([code, stdout], [2, ""]);
    assert.match(stderr, message);
  }
});
