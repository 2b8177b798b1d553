/** What is shared with a run: no prompt, no reply, no key, also where a server repeats them. */

import assert from "node:assert/strict";
import { unzipSync } from "npm:fflate@0.8.3";
import { withFolder } from "../support/artifacts.ts";
import { startRecordingServer } from "../support/recording_server.ts";
import { PROFILE } from "../support/profile_run.ts";
import { runCli } from "../support/run_cli.ts";

const PROMPT = "Confidential file of Jane Roe, ward 7";
const REPLY = "Her illness is the plague of 1348";

/** Quotes the request as FastAPI does, then a part of its own reply. */
function answer({ body }: { readonly body: string }, number: number): Response {
  if (number % 3 === 0) {
    const input = JSON.parse(body);
    const msg = `Invalid prompt: ${JSON.stringify(input.messages)}`;
    return Response.json({ "detail": [{ msg, input }] }, { status: 422 });
  }
  const failed = `data: ${JSON.stringify({ "error": { "message": `cannot parse ${REPLY}` } })}\n\n`;
  const chunk = (delta: unknown, reason: string | null) =>
    `data: ${JSON.stringify({ "choices": [{ "delta": delta, "finish_reason": reason }] })}\n\n`;
  const text = number % 3 === 1
    ? failed
    : chunk({ "content": REPLY }, null) + chunk({}, "stop") + "data: [DONE]\n\n";
  return new Response(text, { headers: { "content-type": "text/event-stream" } });
}

async function packedIn(zip: string): Promise<Map<string, string>> {
  const decoder = new TextDecoder();
  return new Map(
    Object.entries(unzipSync(await Deno.readFile(zip))).map(([name, bytes]) => [
      name.slice(name.indexOf("/") + 1),
      decoder.decode(bytes),
    ]),
  );
}

Deno.test("bundle packs no prompt and no reply, also where a server quotes them", (t) =>
  withFolder(async (folder) => {
    await using server = startRecordingServer({ answer });
    const input = `${folder}/in.jsonl`;
    await Deno.writeTextFile(input, `${JSON.stringify({ "text": PROMPT })}\n`);
    for (const name of ["own", "lines"]) {
      const { stderr } = await runCli([
        ...[...PROFILE, "--url", server.url, "--model", "m", "--streaming", "--request-count", "9"],
        ...["--input-file", input, "--max-error-rate", "1", "--artifact-dir", `${folder}/${name}`],
        ...["--system-prompt", "Ward rules of Jane Roe", "--export-level", "raw"],
      ]);
      assert.equal(stderr.includes("error:"), false, stderr);
    }
    await Deno.remove(`${folder}/lines/run`, { recursive: true });
    const zip = `${folder}/b.zip`;
    for (const name of ["own", "lines"]) {
      for (const options of [[], ["--anonymize-hosts"]]) {
        await t.step(`${name} ${options.join()}`, async () => {
          const { code, stderr, stdout } = await runCli([
            ...["bundle", `${folder}/${name}`, "--output", zip, ...options],
          ]);
          assert.equal(code, 0, stderr);
          assert.match(stdout, /^texts: [1-9]\d* of servers replaced by kind and status/m);
          const packed = await packedIn(zip);
          const quoting = [...packed].filter(([, text]) => /Jane Roe|plague|ward 7/.test(text))
            .map(([file]) => file);
          assert.deepEqual(quoting, []);
          const lines = packed.get("profile_export.jsonl") ?? "";
          assert.match(lines, /"message":"HTTP 422"/);
          assert.match(lines, /"message":"stream error"/);
          assert.equal(JSON.parse(packed.get("bundle.json") ?? "").replaced_texts > 0, true);
        });
      }
    }
    await t.step("the run in the bundle is whole", async () => {
      assert.equal((await runCli(["bundle", `${folder}/own`, "--output", zip])).code, 0);
      for (const [name, bytes] of Object.entries(unzipSync(await Deno.readFile(zip)))) {
        const path = `${folder}/again/${name.slice(name.indexOf("/") + 1)}`;
        await Deno.mkdir(path.slice(0, path.lastIndexOf("/")), { recursive: true });
        await Deno.writeFile(path, bytes);
      }
      const gated = await runCli(["gate", `${folder}/again`, "--slo", "latency.p99<60s"]);
      assert.equal(gated.code, 0, gated.stderr);
    });
    await t.step("--with-text keeps them", async () => {
      await runCli(["bundle", `${folder}/own`, "--output", zip, "--with-text"]);
      assert.match((await packedIn(zip)).get("profile_export.jsonl") ?? "", /Jane Roe/);
    });
  }));

Deno.test("bundle packs no names of expected answers, schemas and tools", (t) =>
  withFolder(async (folder) => {
    const replies = ['{"other": 1}', "{}", "{"];
    await using server = startRecordingServer({
      answer: (_, number) =>
        Response.json({
          "choices": [{
            "message": { "role": "assistant", "content": replies[number % 3] },
            "finish_reason": "stop",
          }],
        }),
    });
    const schema = { "type": "object", "required": ["plagueOf1348"] };
    const row = {
      "text": "hello",
      "response_format": {
        "type": "json_schema",
        "json_schema": { "name": "s", "schema": schema },
      },
      "expected": { "json": { "janeRoe": { "ward 7": 1 } } },
    };
    await Deno.writeTextFile(`${folder}/in.jsonl`, `${JSON.stringify(row)}\n`);
    for (const name of ["own", "lines"]) {
      const { stderr } = await runCli([
        ...[...PROFILE, "--url", server.url, "--model", "m", "--request-count", "6"],
        ...["--input-file", `${folder}/in.jsonl`, "--verify", "answers"],
        ...["--artifact-dir", `${folder}/${name}`],
      ]);
      assert.equal(stderr.includes("error:"), false, stderr);
    }
    await Deno.remove(`${folder}/lines/run`, { recursive: true });
    const zip = `${folder}/b.zip`;
    for (const name of ["own", "lines"]) {
      await t.step(name, async () => {
        await runCli(["bundle", `${folder}/${name}`, "--output", zip, "--with-text"]);
        assert.match((await packedIn(zip)).get("profile_export.jsonl") ?? "", /plagueOf1348/);
        const { code, stderr } = await runCli(["bundle", `${folder}/${name}`, "--output", zip]);
        assert.equal(code, 0, stderr);
        const packed = await packedIn(zip);
        const naming = [...packed].filter(([, text]) => /janeRoe|plagueOf|ward 7/.test(text))
          .map(([file]) => file);
        assert.deepEqual(naming, []);
        const lines = packed.get("profile_export.jsonl") ?? "";
        assert.match(lines, /"reason":"schema","flaw":"left out: it has names of the request"/);
        assert.match(lines, /"reason":"not_json","flaw":"text: not JSON at its end, character 1/);
      });
    }
  }));

Deno.test("keys inside bodies of an input file are in no file of the run", () =>
  withFolder(async (folder) => {
    await using server = startRecordingServer({ answer });
    const keys = ["sk-body-98f7a6b5c4", "Bearer zx81-cv76-qq", "nested-pass-4711"];
    const rows = [0, 1].map((row) =>
      JSON.stringify({
        "model": "m",
        "stream": true,
        "messages": [{ "role": "user", "content": `hello ${row}` }],
        ...{ "api_key": keys[0], "authorization": keys[1], "extra": { "password": keys[2] } },
      })
    );
    await Deno.writeTextFile(`${folder}/in.jsonl`, `${rows.join("\n")}\n`);
    const run = `${folder}/run`;
    const { stderr, stdout } = await runCli([
      ...[...PROFILE, "--url", server.url, "--model", "m", "--streaming", "--request-count", "6"],
      ...["--input-file", `${folder}/in.jsonl`, "--custom-dataset-type", "raw_payload"],
      ...["--max-error-rate", "1", "--artifact-dir", run, "--export-level", "raw"],
    ]);
    const texts = new Map([["stdout", stdout], ["stderr", stderr]]);
    for (const place of ["", "run/"]) {
      for await (const { name, isFile } of Deno.readDir(`${run}/${place}`)) {
        if (isFile) texts.set(place + name, await Deno.readTextFile(`${run}/${place}${name}`));
      }
    }
    for (const [name, text] of texts) {
      for (const key of keys) assert.ok(!text.includes(key), `${name} has ${key}`);
    }
    // They were sent all the same, and the rest of the body is as it was.
    assert.ok(server.requests.some(({ body }) => body.includes(keys[0] as string)));
    assert.match(texts.get("inputs.json") ?? "", /"api_key":"<redacted>"/);
    assert.match(texts.get("profile_export_raw.jsonl") ?? "", /hello 1/);
    assert.match(texts.get("profile_export.jsonl") ?? "", /Invalid prompt/);
  }));
