import assert from "node:assert/strict";
import { BuiltinTokenizer, VOCABULARY_URL } from "../../src/dataset/builtin_tokenizer.ts";
import { DatasetError } from "../../src/dataset/dataset_error.ts";
import { fileDataset } from "../../src/dataset/file_dataset.ts";
import { JSON_BODY } from "../../src/endpoint/body_format.ts";
import { inputsJson } from "../../src/export/inputs_json.ts";
import { redactor } from "../../src/secrets/redactor.ts";
import { chat } from "../../src/endpoint/chat.ts";
import { completions } from "../../src/endpoint/completions.ts";
import { withFolder } from "../support/artifacts.ts";

const builtin = new BuiltinTokenizer(await Deno.readFile(VOCABULARY_URL));
const PLAN = {
  seed: 1,
  models: ["m"],
  body: {
    streaming: false,
    legacyMaxTokens: false,
    extraInputs: {},
    perChunkUsage: false,
  },
};

async function load(
  path: string,
  type = chat,
  osl?: number,
  allowedFolders: readonly string[] = [],
) {
  const payloads = await fileDataset(
    PLAN,
    { source: "file", path, allowedFolders, outputTokensMean: osl, outputTokensStddev: 0 },
    type,
    builtin,
  );
  const decoder = new TextDecoder();
  const bodies = Array.from(
    payloads.data.inputTokens,
    (_, entry) => JSON.parse(decoder.decode(payloads.wholeBodyOf(entry))),
  );
  return { payloads, bodies };
}

async function loadText(text: string, type = chat, osl?: number) {
  const path = await Deno.makeTempFile({ suffix: ".jsonl" });
  try {
    await Deno.writeTextFile(path, text);
    return await load(path, type, osl);
  } finally {
    await Deno.remove(path);
  }
}

Deno.test("fileDataset reads single turns with texts, lengths and names", async () => {
  const { payloads, bodies } = await loadText(
    [
      '{"text": "Hello there", "output_length": 7, "session_id": "a"}',
      "",
      '{"texts": ["one", {"name": "query", "contents": ["two", "three"]}], "extra": {"top_k": 1}}',
    ].join("\n"),
    chat,
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

Deno.test("fileDataset sends images by path, URL and data URI as content parts", async () => {
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

Deno.test("fileDataset reads no image outside of the folders it may read", {
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
      const { bodies } = await load(path, chat, undefined, allowed);
      return bodies[0].messages[0].content[0].image_url.url;
    };
    assert.equal(await image("in.png"), "data:image/png;base64,BAUG");
    assert.equal(await image(`${folder}/own.png`), "data:image/png;base64,BAUG");
    for (const name of ["out.png", "../others/dot.png", `${others}/dot.png`]) {
      await assert.rejects(() => image(name), {
        name: "DatasetError",
        message: /rows\.jsonl:1: Image is outside the input file's folder: .*--allow-files/,
      });
      assert.equal(await image(name, [others]), "data:image/png;base64,AQID");
    }
    await assert.rejects(() => image("pipe.png"), {
      message: /Is not a file but a device or a pipe/,
    });
    await assert.rejects(() => image("missing.png"), { message: /File does not exist/ });
  });
});

Deno.test("fileDataset refuses what is not UTF-8, and rows that want no stream", async () => {
  await withFolder(async (folder) => {
    const path = `${folder}/rows.jsonl`;
    await Deno.writeFile(path, Uint8Array.of(123, 125, 10, 34, 255, 34, 10));
    await assert.rejects(() => load(path), { message: /rows\.jsonl: Not valid UTF-8 in line 2$/ });
    await Deno.writeTextFile(path, '{"text": "a", "extra": {"stream": false}}');
    await load(path);
    const plan = { ...PLAN, body: { ...PLAN.body, streaming: true } };
    const dataset = {
      source: "file",
      path,
      allowedFolders: [],
      outputTokensMean: undefined,
      outputTokensStddev: 0,
    } as const;
    await assert.rejects(() => fileDataset(plan, dataset, chat, undefined), {
      message: /rows\.jsonl:1: extra: stream must be true beside --streaming$/,
    });
  });
});

Deno.test("fileDataset replays an inputs.json as it is, ours too", async () => {
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

Deno.test("fileDataset names file and line of what it cannot use", async () => {
  const cases: [string, RegExp][] = [
    ["", /has no rows/],
    ['{"text": "a"}\n{oops}', /:2: Not valid JSON/],
    ['{"text": 5}', /:1: text: /],
    ["{}", /:1: Row has none of text/],
    ['{"text": "a", "output_length": 0}', /:1: output_length: /],
    ['{"image": "photo"}', /:1: Image is not a URL/],
    ['{"image": "missing.png"}', /:1: Image cannot be read/],
    ['{"data": [{"payloads": []}]}', /payloads/],
  ];
  for (const [text, message] of cases) {
    await assert.rejects(() => loadText(text), (error) => {
      assert.ok(error instanceof DatasetError);
      assert.match(error.message, message);
      return true;
    });
  }
  await assert.rejects(
    () => loadText('{"image": "https://x/y.png"}', completions),
    /takes no images/,
  );
  await assert.rejects(() => load("/nowhere/rows.jsonl"), /rows\.jsonl: File does not exist/);
});
