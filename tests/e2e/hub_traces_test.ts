/** Weka traces of a repository on a hub: from the hub, or from its local cache. */

import assert from "node:assert/strict";
import { startDataSetHub } from "../support/data_set_hub.ts";
import { withFolder } from "../support/artifacts.ts";
import { withMock } from "../support/local_mock.ts";
import { PROFILE } from "../support/profile_run.ts";
import { runCli } from "../support/run_cli.ts";

const AGENTS = new URL("../../fixtures/agents/", import.meta.url).pathname;
const REPOSITORY = "some-lab/agent-traces";

Deno.test("profile --hf-weka-dataset replays the traces of a repository", async (t) => {
  const trace = JSON.parse(await Deno.readTextFile(`${AGENTS}weka_flat_fanout.json`));
  const lines = [trace, { ...trace, "id": "again" }].map((one) => `${JSON.stringify(one)}\n`);
  const files = { [`${REPOSITORY}/traces.jsonl`]: lines.join("") };
  await using hub = startDataSetHub({ ...files, [`${REPOSITORY}/README.md`]: "# Traces" });
  await withMock({}, async ({ url }) => {
    await withFolder(async (folder) => {
      const temporary = `${folder}/tmp`;
      await Deno.mkdir(temporary);
      let runs = 0;
      const run = async (args: readonly string[], env: Readonly<Record<string, string>> = {}) => {
        hub.asked.length = 0;
        const artifacts = `${folder}/run-${++runs}`;
        const result = await runCli([
          ...[...PROFILE, "--url", url, "--model", "m", "--artifact-dir", artifacts],
          ...["--hf-weka-dataset", REPOSITORY, "--tokenizer", "builtin", "--tool-time", "none"],
          ...["--user-time", "none", ...args],
        ], {
          env: {
            HF_ENDPOINT: hub.endpoint,
            HF_HUB_CACHE: `${folder}/cache`,
            TMPDIR: temporary,
            ...env,
          },
        });
        return { ...result, artifacts };
      };
      const sessionsOf = async (artifacts: string): Promise<string[]> => {
        const text = await Deno.readTextFile(`${artifacts}/sessions.jsonl`);
        return text.trim().split("\n").map((line) => JSON.parse(line).source_id);
      };

      await t.step("from the hub", async () => {
        const { code, stderr, artifacts } = await run([]);
        assert.equal(code, 0, stderr);
        assert.deepEqual(await sessionsOf(artifacts), [trace.id, "again"]);
        assert.ok(hub.asked.includes(`/datasets/${REPOSITORY}/resolve/main/traces.jsonl`));
        const kept = await Array.fromAsync(Deno.readDir(temporary), ({ name }) => name);
        assert.deepEqual(kept, ["inferometer-some-lab--agent-traces.jsonl"]);
      });

      await t.step("from the cache, without asking the hub", async () => {
        const snapshot = `${folder}/cache/datasets--some-lab--agent-traces/snapshots/abc/data`;
        await Deno.mkdir(snapshot, { recursive: true });
        await Deno.writeTextFile(`${snapshot}/train.jsonl`, lines[1] as string);
        const { code, stderr, artifacts } = await run([], { HF_HUB_OFFLINE: "1" });
        assert.equal(code, 0, stderr);
        assert.deepEqual(await sessionsOf(artifacts), ["again"]);
        assert.deepEqual(hub.asked, []);
      });

      await t.step("a failed reading leaves no file behind", async () => {
        const snapshot = `${folder}/cache/datasets--some-lab--agent-traces/snapshots/abc/data`;
        await Deno.writeTextFile(`${snapshot}/train.jsonl`, `${lines[0]}no JSON\n`);
        const { code, stderr } = await run([]);
        assert.notEqual(code, 0);
        assert.match(stderr, /train\.jsonl:2.*Not valid JSON/);
        const kept = await Array.fromAsync(Deno.readDir(temporary), ({ name }) => name);
        assert.deepEqual(kept, ["inferometer-some-lab--agent-traces.jsonl"]);
      });

      await t.step("from the hub, if a file of the cache is missing", async () => {
        const snapshot = `${folder}/cache/datasets--some-lab--agent-traces/snapshots/abc/data`;
        await Deno.remove(`${snapshot}/train.jsonl`);
        await Deno.symlink(`${folder}/missing`, `${snapshot}/train.jsonl`);
        const { code, stderr, artifacts } = await run([]);
        assert.equal(code, 0, stderr);
        assert.deepEqual(await sessionsOf(artifacts), [trace.id, "again"]);
        await Deno.remove(`${folder}/cache`, { recursive: true });
      });

      await t.step("or not at all, with the reason", async () => {
        const offline = await run([], { HF_HUB_OFFLINE: "1" });
        assert.equal(offline.code, 2);
        assert.match(offline.stderr, /--hf-weka-dataset.*offline/);
        const other = await run(["--input-file", "x.json"]);
        assert.equal(other.code, 2);
        assert.match(other.stderr, /--hf-weka-dataset/);
      });
    });
  });
});
