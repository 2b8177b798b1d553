import assert from "node:assert/strict";
import { inputsJson } from "../../../../src/report/export/requests/inputs_json.ts";
import { JSON_BODY } from "../../../../src/client/endpoint/protocol/body_format.ts";
import { redactor } from "../../../../src/core/secrets/redactor.ts";
import { withFolder } from "../../../support/artifacts.ts";
import { readFile, readText, tableOf } from "../../../support/input_files.ts";

async function load(path: string, allowedFolders: readonly string[] = []) {
  return await tableOf((await readFile(path, { allowedFolders })).conversations);
}

async function loadText(text: string, osl?: number) {
  return await tableOf((await readText(text, { outputTokensMean: osl })).conversations);
}

Deno.test("readInput reads single turns with texts, lengths and names", async () => {
  const { payloads, bodies } = await loadText(
    [
      '{"text": "Hello there", "output_length": 7, "session_id": "a"}',
      "",
      '{"texts": ["one", {"name": "query", "contents": ["two", "three"]}], "extra": {"top_k": 1}}',
    ].join("\n"),
    9,
  );
  assert.equal(bodies[0].messages[0].content, "Hello there");
  assert.equal(bodies[0].max_completion_tokens, 7);
  assert.deepEqual(bodies[1].messages[0].content, [
    { type: "text", text: "one" },
    { type: "text", text: "two" },
    { type: "text", text: "three" },
  ]);
  assert.equal(bodies[1].max_completion_tokens, 9);
  assert.equal(bodies[1].top_k, 1);
  assert.deepEqual([...payloads.data.inputTokens], [2, 3]);
  assert.deepEqual([...payloads.data.outputTokens], [7, 9]);
  assert.equal(payloads.sessionIdOf(0), "a");
});

Deno.test("readInput sends images by path, URL and data URI as content parts", async () => {
  await withFolder(async (folder) => {
    await Deno.writeFile(`${folder}/dot.png`, Uint8Array.of(1, 2, 3));
    await Deno.writeTextFile(
      `${folder}/rows.jsonl`,
      '{"text": "look", "image": "dot.png"}\n' +
        '{"images": ["https://x/y.jpg", "data:image/gif;base64,AA=="]}\n',
    );
    const { payloads, bodies } = await load(`${folder}/rows.jsonl`);
    assert.deepEqual(bodies[0].messages[0].content, [
      { type: "text", text: "look" },
      { type: "image_url", image_url: { url: "data:image/png;base64,AQID" } },
    ]);
    assert.deepEqual(
      bodies[1].messages[0].content.map((part: { image_url: { url: string } }) =>
        part.image_url.url
      ),
      ["https://x/y.jpg", "data:image/gif;base64,AA=="],
    );
    assert.deepEqual([...payloads.data.images], [1, 2]);
  });
});

Deno.test("readInput reads no image outside of the folders it may read", {
  ignore: Deno.build.os === "windows",
}, async () => {
  await withFolder(async (parent) => {
    const folder = `${parent}/data`;
    const others = `${parent}/others`;
    await Deno.mkdir(folder);
    await Deno.mkdir(others);
    await Deno.writeFile(`${others}/dot.png`, Uint8Array.of(1, 2, 3));
    await Deno.writeFile(`${folder}/own.png`, Uint8Array.of(4, 5, 6));
    await Deno.symlink(`${others}/dot.png`, `${folder}/out.png`);
    await Deno.symlink("own.png", `${folder}/in.png`);
    await new Deno.Command("mkfifo", { args: [`${folder}/pipe.png`] }).output();
    const image = async (name: string, allowed: readonly string[] = []) => {
      const path = `${folder}/rows.jsonl`;
      await Deno.writeTextFile(path, JSON.stringify({ "image": name }));
      const { bodies } = await load(path, allowed);
      return bodies[0].messages[0].content[0].image_url.url;
    };
    assert.equal(await image("in.png"), "data:image/png;base64,BAUG");
    assert.equal(await image(`${folder}/own.png`), "data:image/png;base64,BAUG");
    for (const name of ["out.png", "../others/dot.png", `${others}/dot.png`]) {
      await assert.rejects(() => image(name), {
        name: "DatasetError",
        message:
          /rows\.jsonl:1:10: image: Image is outside the input file's folder: .*--allow-files/,
      });
      assert.equal(await image(name, [others]), "data:image/png;base64,AQID");
    }
    await assert.rejects(() => image("pipe.png"), {
      message: /Is not a file but a device or a pipe/,
    });
    await assert.rejects(() => image("missing.png"), { message: /File does not exist/ });
  });
});

Deno.test("readInput replays an inputs.json as it is, ours too", async () => {
  const sent = {
    "messages": [{ "role": "user", "content": "a \u2028 b" }],
    "max_tokens": 5,
    "n": 1.5,
  };
  const text = JSON.stringify({
    "data": [{ "session_id": "s1", "payloads": [sent, { ...sent, "max_tokens": 6 }] }],
  });
  const { payloads, bodies } = await loadText(text);
  assert.deepEqual(bodies, [sent, { ...sent, "max_tokens": 6 }]);
  assert.deepEqual([...payloads.data.outputTokens], [5, 6]);
  const again = await loadText([...inputsJson(payloads, JSON_BODY, redactor([]))].join(""));
  assert.deepEqual(again.bodies, bodies);
  assert.equal(again.payloads.sessionIdOf(0), "s1");
});
