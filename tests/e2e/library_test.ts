/** The library: what `mod.ts` gives to programs. */

import assert from "node:assert/strict";
import {
  DatasetError,
  ExportError,
  profile,
  type ProfileOptions,
  type RunProgress,
  ServerUnavailableError,
  UsageError,
} from "../../mod.ts";
import { readArtifacts, withFolder } from "../support/artifacts.ts";
import { deadAddress } from "../support/dead_address.ts";
import { startLocalMock } from "../support/local_mock.ts";
import { until } from "../support/until.ts";

const ROOT = new URL("../../", import.meta.url);

Deno.test("the examples in the library's documentation run", async () => {
  const text = await Deno.readTextFile(new URL("mod.ts", ROOT));
  const files = [...text.matchAll(/from "\.\/(.+?)"/g)].map(([, path]) => path as string);
  const sources = await Promise.all(files.map((path) => Deno.readTextFile(new URL(path, ROOT))));
  const examples = sources.join("\n").match(/\* ```ts$/gm)?.length ?? 0;
  assert.ok(examples >= 3, "there are examples");
  const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["test", "--doc", "--no-check", "--allow-read", "--quiet", ...files],
    cwd: ROOT,
    env: { "NO_COLOR": "1" },
  }).output();
  const said = new TextDecoder().decode(stdout) + new TextDecoder().decode(stderr);
  assert.equal(code, 0, said);
  assert.match(said, new RegExp(`ok \\| ${examples} passed`));
});

Deno.test("a project with no import map of ours can import the library, and needs no flag for it", () =>
  withFolder(async (folder) => {
    const library = new URL("mod.ts", ROOT).href;
    await Deno.writeTextFile(
      `${folder}/main.ts`,
      `import { parseExposition, profile, summarize } from "${library}";
       if (typeof profile !== "function") throw new TypeError("profile is no function");
       const { families } = parseExposition("up 1\\n");
       console.log(families[0]?.name, summarize(Float64Array.of(1, 2, 6)).avg);`,
    );
    const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
      args: ["run", "--quiet", "--no-prompt", `${folder}/main.ts`],
      cwd: folder,
      env: { "NO_COLOR": "1" },
    }).output();
    assert.equal(code, 0, new TextDecoder().decode(stderr));
    assert.equal(new TextDecoder().decode(stdout), "up 3\n");
  }));

Deno.test("the library can be imported below a package.json; only profile asks for a setting", () =>
  withFolder(async (folder) => {
    const library = new URL("mod.ts", ROOT).href;
    await Deno.writeTextFile(`${folder}/package.json`, '{ "name": "x", "private": true }');
    await Deno.mkdir(`${folder}/src`);
    await Deno.writeTextFile(
      `${folder}/src/main.ts`,
      `import { parseExposition, profile, summarize, UsageError } from "${library}";
       console.log(parseExposition("up 1\\n").families[0]?.name, summarize(Float64Array.of(1)).avg);
       try {
         await profile({ url: [], streaming: true });
       } catch (error) {
         console.log(error instanceof UsageError ? "usage" : (error as Error).message);
       }`,
    );
    const said = async (...flags: string[]): Promise<string> => {
      const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
        args: ["run", "--quiet", "--no-prompt", "--allow-all", "--no-lock", ...flags, "main.ts"],
        cwd: `${folder}/src`,
        env: { "NO_COLOR": "1" },
      }).output();
      assert.equal(code, 0, new TextDecoder().decode(stderr));
      return new TextDecoder().decode(stdout);
    };
    assert.match(await said(), /^up 1\nprofile\(\) could not load .*--node-modules-dir=none/);
    assert.equal(await said("--node-modules-dir=none"), "up 1\nusage\n");
  }));

/** Settings of a small run. */
function smallRun(url: string, folder: string): ProfileOptions {
  return {
    ...{ url: [url], streaming: true, concurrency: 4, requestCount: 24, isl: 10, osl: 4 },
    ...{ artifactDir: `${folder}/run`, noServerMetrics: true },
  };
}

Deno.test("profile gives the figures that stand in its files", () =>
  withFolder(async (folder) => {
    using mock = await startLocalMock(["--ttft", "10", "--itl", "2", "--faults", "500:0.2"]);
    const progress: RunProgress[] = [];
    const result = await profile(smallRun(mock.url, folder), {
      onProgress: (state) => progress.push(state),
      onWarning: (text) => assert.fail(text),
    });
    assert.equal(result.directory, await Deno.realPath(`${folder}/run`));
    const { json, names } = await readArtifacts(result.directory);
    assert.deepEqual([...result.files].sort(), names);
    for (const [tag, statistics] of Object.entries(result.metrics)) {
      // Nanoseconds since 1970 are whole numbers in the file, too large for this comparison.
      if (statistics.unit === "ns") continue;
      assert.deepEqual(json[tag], statistics, tag);
    }
    assert.ok((result.metrics["time_to_first_token"]?.p50 ?? 0) >= 10);
    assert.equal(result.requests.sent, 24);
    assert.equal(result.requests.failed, json.error_request_count.avg);
    assert.equal(result.errors[0]?.kind, "http_status");
    assert.deepEqual([result.wasCancelled, result.isComplete], [false, true]);
    const last = progress.at(-1);
    assert.deepEqual([last?.done, last?.failed], [24, result.requests.failed]);
  }));

Deno.test("profile ends early when its signal is aborted", () =>
  withFolder(async (folder) => {
    using mock = await startLocalMock(["--ttft", "5"]);
    const controller = new AbortController();
    const running = profile(
      { ...smallRun(mock.url, folder), requestCount: 1_000_000 },
      { signal: controller.signal },
    );
    await until("twenty answers", async () => (await mock.stats()).succeeded >= 20);
    controller.abort();
    const result = await running;
    assert.deepEqual([result.wasCancelled, result.isComplete], [true, false]);
    assert.ok(result.requests.succeeded >= 20);
    assert.equal((await readArtifacts(result.directory)).json.was_cancelled, true);
  }));

Deno.test("profile throws errors that tell what is wrong", () =>
  withFolder(async (folder) => {
    using mock = await startLocalMock();
    const options = smallRun(mock.url, folder);
    await assert.rejects(profile({ ...options, concurrency: 0 }), (error: unknown) => {
      assert.ok(error instanceof UsageError && error instanceof RangeError);
      assert.equal(error.option, "--concurrency");
      return true;
    });
    const missing = `${folder}/missing.jsonl`;
    const { isl: _, ...withoutIsl } = options;
    await assert.rejects(profile({ ...withoutIsl, inputFile: missing }), (error: unknown) => {
      assert.ok(error instanceof DatasetError);
      assert.match(error.message, /missing\.jsonl/);
      return true;
    });
    const nobody = { ...options, url: [deadAddress()] };
    await assert.rejects(profile(nobody), ServerUnavailableError);
    await Deno.writeTextFile(`${folder}/file`, "");
    await assert.rejects(profile({ ...options, artifactDir: `${folder}/file` }), ExportError);
    // A failure leaves no thread behind that would keep this process alive, and the next run works.
    assert.equal((await profile({ ...options, overwrite: true })).requests.succeeded, 24);
  }));
