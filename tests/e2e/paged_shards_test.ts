/** Recorded sessions of a file that is sent while it is read, in one process and as two shards. */

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { SESSION_PAGING } from "../../src/load/dataset/conversations/page_reader.ts";
import { AGENTS } from "../support/agent_replay.ts";
import { withFolder } from "../support/artifacts.ts";
import { PROFILE } from "../support/profile_run.ts";
import { runCli } from "../support/run_cli.ts";

const SESSIONS = 40;
const QUESTIONS = 2;
/** Bodies fill several pages. */
const QUESTION_BYTES = 40_000;
/** Bytes of each row that are not sent: the file is not read as a whole before the first request. */
const REST_BYTES = SESSION_PAGING.minFileBytes / (SESSIONS * QUESTIONS);

/** Writes rows of conversations, each with texts of its own. */
async function writeRows(path: string): Promise<void> {
  const rows = Array.from(
    { length: SESSIONS },
    (_, session) =>
      Array.from({ length: QUESTIONS }, (_, place) => {
        const base = { "conversation_id": `c${session}` };
        const text = `Part ${place} of log ${session}. `;
        const content = text.repeat(Math.ceil(QUESTION_BYTES / text.length));
        const rest = "-".repeat(REST_BYTES);
        return [
          { ...base, "turn": 2 * place + 1, "role": "user", content, rest },
          { ...base, "turn": 2 * place + 2, "role": "assistant", "content": `Read ${place}.` },
        ];
      }),
  ).flat(2);
  await Deno.writeTextFile(path, rows.map((row) => JSON.stringify(row)).join("\n"));
}

/** Numbers of the sessions whose requests a run has recorded. */
async function sessionsIn(directory: string): Promise<number[]> {
  const text = await Deno.readTextFile(`${directory}/profile_export.jsonl`);
  const numbers = text.trimEnd().split("\n").map((line) => JSON.parse(line).metadata.session_num);
  return [...new Set<number>(numbers)];
}

/** Hash of every body that a server receives, in order of the hashes. */
async function hashesOf(send: (url: string) => Promise<void>): Promise<string[]> {
  const hashes: string[] = [];
  await using server = Deno.serve(
    { port: 0, hostname: "127.0.0.1", onListen() {} },
    async (request) => {
      if (request.method !== "POST") return new Response("", { status: 404 });
      hashes.push(createHash("sha256").update(await request.bytes()).digest("hex"));
      return Response.json({
        "choices": [{ "message": { "content": "Read." }, "finish_reason": "stop" }],
      });
    },
  );
  await send(`http://127.0.0.1:${server.addr.port}`);
  return hashes.sort();
}

Deno.test("shards send the recorded sessions of a large file once, as one process does", () =>
  withFolder(async (folder) => {
    const file = `${folder}/rows.jsonl`;
    await writeRows(file);
    const run = async (url: string, directory: string, more: readonly string[]): Promise<void> => {
      const { code, stderr } = await runCli([
        ...[...PROFILE, "--url", url, "--model", "m", "--tokenizer", `${AGENTS}tok_bytes`],
        ...["--input-file", file, "--concurrency", "4", "--random-seed", "7"],
        ...["--artifact-dir", directory, ...more],
      ]);
      assert.equal(code, 0, stderr);
      assert.match(stderr, /inputs\.json is not written/, "it is sent while it is read");
    };
    const one = await hashesOf((url) => run(url, `${folder}/one`, []));
    assert.equal(new Set(one).size, SESSIONS * QUESTIONS);
    const shards = await hashesOf(async (url) => {
      await Promise.all(
        ["0/2", "1/2"].map((shard) => run(url, `${folder}/two`, ["--shard", shard])),
      );
    });
    assert.deepEqual(shards, one);
    const parts = await Promise.all(
      [0, 1].map((index) => sessionsIn(`${folder}/two/shard-000${index}-of-0002`)),
    );
    parts.forEach((own, index) => assert.ok(own.every((number) => number % 2 === index)));
    const all = parts.flat().sort((a, b) => a - b);
    assert.deepEqual(all, Array.from({ length: SESSIONS }, (_, number) => number));
    assert.equal((await runCli(["merge", `${folder}/two`, "--expect-shards", "2"])).code, 0);
    const { sessions } = JSON.parse(
      await Deno.readTextFile(`${folder}/two/profile_export_aiperf.json`),
    );
    assert.deepEqual([sessions.started, sessions.completed], [SESSIONS, SESSIONS]);
  }));
