/** Texts of wrong answers and invalid replies: in the report, in its rebuilt page, in no bundle. */

import assert from "node:assert/strict";
import { unzipSync } from "npm:fflate@0.8.3";
import { withFolder } from "../support/artifacts.ts";
import { PROFILE } from "../support/profile_run.ts";
import { startRecordingServer } from "../support/recording_server.ts";
import { runCli } from "../support/run_cli.ts";

const KEY = "sk-flawed-4711-abcdefgh";
const ITEMS = { "type": "array", "items": { "type": "object", "required": ["sku"] } };
const ROWS = [
  { "text": "Name the capital of France <now>", "expected": "Paris" },
  {
    "text": "List the order of Jane Roe",
    "response_format": {
      "type": "json_schema",
      "json_schema": { "name": "o", "schema": { "properties": { "lines": ITEMS } } },
    },
  },
  {
    "turns": [
      { "text": "First turn" },
      { "text": "Second turn of the plague", "expected": { "number": 1348 } },
    ],
  },
];
const REPLIES: Readonly<Record<string, string>> = {
  "Name the capital of France <now>": `<b>Rome</b>, says ${KEY}`,
  "List the order of Jane Roe": '{"lines": [{"sku": 1}, {"size": "XXL of the customer"}]}',
  "First turn": "fine",
  "Second turn of the plague": "It was in 1347",
};

function answer({ body }: { readonly body: string }): Response {
  const content = REPLIES[JSON.parse(body)["messages"].at(-1)["content"]];
  const choice = { "message": { "role": "assistant", content }, "finish_reason": "stop" };
  return Response.json({ "choices": [choice] });
}

const SHOWN = [
  /<td class="text">Name the capital of France &lt;now&gt;<\/td><td class="text">Paris<\/td><td class="text">&lt;b&gt;Rome&lt;\/b&gt;, says &lt;redacted&gt;<\/td>/,
  /text at \/lines\/1: must have required property &#39;sku&#39;<\/td><td class="text">List the order of Jane Roe<\/td><td class="text">\{&quot;lines&quot;: \[.*XXL/,
  /<td class="text">Second turn of the plague<\/td><td class="text">1348<\/td><td class="text">It was in 1347<\/td>/,
];

Deno.test("the report shows the texts of flawed answers, and no bundle has them", (t) =>
  withFolder(async (folder) => {
    await using server = startRecordingServer({ answer });
    const input = `${folder}/in.jsonl`;
    await Deno.writeTextFile(
      input,
      ROWS.map((row) => `${JSON.stringify("turns" in row ? row : { "turns": [row] })}\n`).join(""),
    );
    const run = `${folder}/run`;
    const { code, stderr } = await runCli([
      ...[...PROFILE, "--url", server.url, "--model", "m", "--api-key", KEY, "--concurrency", "1"],
      ...["--input-file", input, "--custom-dataset-type", "multi_turn", "--num-sessions", "36"],
      ...["--verify", "answers", "--artifact-dir", run],
    ]);
    assert.equal(code, 0, stderr);
    const page = await Deno.readTextFile(`${run}/report.html`);
    await t.step("ten of each kind, side by side", () => {
      for (const pattern of SHOWN) assert.match(page, pattern);
      assert.equal(page.match(/Second turn of the plague<\/td>/g)?.length, 5);
      assert.equal(page.match(/List the order of Jane Roe<\/td>/g)?.length, 10);
    });
    await t.step("report rebuilds the page byte for byte", async () => {
      await Deno.remove(`${run}/report.html`);
      assert.equal((await runCli(["report", run])).code, 0);
      assert.equal(await Deno.readTextFile(`${run}/report.html`), page);
    });
    await t.step("no file has the key", async () => {
      const kept = new TextDecoder("latin1").decode(await Deno.readFile(`${run}/run/records.bin`));
      assert.match(kept, /XXL of the customer/);
      assert.doesNotMatch(kept, new RegExp(KEY));
    });
    const packed = async (from: string, ...options: string[]): Promise<string> => {
      const zip = `${folder}/b.zip`;
      const bundled = await runCli(["bundle", from, "--output", zip, ...options]);
      assert.equal(bundled.code, 0, bundled.stderr);
      const files = Object.values(unzipSync(await Deno.readFile(zip)));
      return files.map((bytes) => new TextDecoder("latin1").decode(bytes)).join("\n");
    };
    await t.step("bundles have texts only on demand", async () => {
      assert.match(await packed(run, "--with-text"), /XXL of the customer/);
      assert.match(await packed(run, "--with-text", "--anonymize-hosts"), /XXL of the customer/);
      await Deno.mkdir(`${folder}/exported`);
      for (const name of ["report.html", "profile_export.jsonl", "profile_export_aiperf.json"]) {
        await Deno.copyFile(`${run}/${name}`, `${folder}/exported/${name}`);
      }
      for (const from of [run, `${folder}/exported`]) {
        for (const options of [[], ["--anonymize-hosts"]]) {
          assert.doesNotMatch(await packed(from, ...options), /XXL|Jane Roe|plague|Rome|Paris/);
        }
      }
    });
  }));
