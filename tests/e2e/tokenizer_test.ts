/** Tokenizers by the name of a model: from the local cache, from a hub, or not at all. */

import assert from "node:assert/strict";
import { withFolder } from "../support/artifacts.ts";
import { startLocalMock } from "../support/local_mock.ts";
import { PROFILE } from "../support/profile_run.ts";
import { type CliResult, runCli } from "../support/run_cli.ts";
import { WORD_TOKENIZER } from "../support/word_tokenizer.ts";

const TOKEN = "hf_sesameOpenSesame";

Deno.test("profile takes tokenizers by name, and fetches them only when it is named and allowed", async (t) => {
  using mock = await startLocalMock(["--mock-model", "org/served"]);
  const keys: (string | null)[] = [];
  const hub = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, (request) => {
    keys.push(request.headers.get("authorization"));
    const isThere = new URL(request.url).pathname === "/org/other/resolve/main/tokenizer.json";
    return isThere
      ? Response.json(WORD_TOKENIZER)
      : new Response("", { status: 404, headers: { "x-error-code": "EntryNotFound" } });
  });
  const endpoint = `http://127.0.0.1:${hub.addr.port}`;
  await withFolder(async (folder) => {
    const snapshot = `${folder}/cache/models--org--served/snapshots/abc`;
    await Deno.mkdir(snapshot, { recursive: true });
    await Deno.writeTextFile(`${snapshot}/tokenizer.json`, JSON.stringify(WORD_TOKENIZER));
    let runs = 0;
    const run = async (
      args: readonly string[],
      env: Readonly<Record<string, string>> = { HF_HUB_CACHE: `${folder}/cache` },
    ): Promise<CliResult & { readonly artifacts: string }> => {
      const artifacts = `${folder}/run-${++runs}`;
      const result = await runCli([
        ...[...PROFILE, "--url", mock.url, "--request-count", "2", "--isl", "5"],
        ...["--artifact-dir", artifacts, ...args],
      ], { env: { HF_ENDPOINT: endpoint, HF_TOKEN: TOKEN, ...env } });
      return { ...result, artifacts };
    };
    const tokenizerOf = async (folder: string) =>
      JSON.parse(await Deno.readTextFile(`${folder}/profile_export_aiperf.json`)).tokenizer;

    await t.step("the model's own is taken from the cache", async () => {
      const { code, stderr, artifacts } = await run([]);
      assert.equal(code, 0, stderr);
      assert.equal(await tokenizerOf(artifacts), "org/served");
      assert.equal(keys.length, 0);
    });
    await t.step("without it, the usage of replies counts, and that is said", async () => {
      const { code, stdout, artifacts } = await run([], { HF_HUB_CACHE: `${folder}/none` });
      assert.equal(code, 0);
      assert.match(await tokenizerOf(artifacts), /builtin/);
      assert.match(stdout, /^tokens: .*\(usage in replies\)$/m);
      const { token_source: source } = JSON.parse(
        await Deno.readTextFile(`${artifacts}/profile_export_aiperf.json`),
      );
      assert.deepEqual(source, { "input": "usage", "output": "usage" });
      assert.equal(keys.length, 0);
    });
    await t.step("a dry run fetches nothing and names the hub", async () => {
      const { code, stdout } = await run(["--tokenizer", "org/other", "--dry-run"]);
      assert.equal(code, 0);
      assert.match(stdout, /org\/other, fetched from http:\/\/127\.0\.0\.1/);
      assert.match(
        stdout,
        new RegExp(`main, before the others run.*127\\.0\\.0\\.1:${hub.addr.port}`),
      );
      assert.equal(keys.length, 0);
    });
    await t.step("nothing is fetched offline", async () => {
      for (const [args, env] of [[["--offline"], {}], [[], { HF_HUB_OFFLINE: "1" }]] as const) {
        const { code, stderr } = await run(["--tokenizer", "org/other", ...args], env);
        assert.equal(code, 2);
        assert.match(
          stderr,
          /^error: --tokenizer: "org\/other" is not a file and not in the cache/,
        );
      }
      assert.equal(keys.length, 0);
    });
    await t.step("one that is named is fetched, and no file holds the token", async () => {
      const { code, stdout, stderr, artifacts } = await run(["--tokenizer", "org/other"]);
      assert.equal(code, 0, stderr);
      assert.equal(await tokenizerOf(artifacts), "org/other");
      assert.deepEqual(keys, [`Bearer ${TOKEN}`, `Bearer ${TOKEN}`]);
      const texts = [stdout, stderr];
      for (const path of [artifacts, `${artifacts}/run`]) {
        for await (const { name, isFile } of Deno.readDir(path)) {
          if (isFile) texts.push(await Deno.readTextFile(`${path}/${name}`));
        }
      }
      for (const text of texts) assert.ok(!text.includes(TOKEN));
    });
    await t.step("one that is not there ends the run before it begins", async () => {
      const { code, stderr } = await run(["--tokenizer", "org/nobody"]);
      assert.equal(code, 1);
      assert.match(stderr, /^error: "org\/nobody" has no tokenizer\.json on http/);
    });
  });
  await hub.shutdown();
});
