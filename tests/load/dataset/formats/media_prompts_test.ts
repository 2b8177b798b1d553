/** Prompts with an image and a recording: each medium must reach the body, in every format. */

import assert from "node:assert/strict";
import { withFolder } from "../../../support/artifacts.ts";
import { lines, readFile, tableOf } from "../../../support/input_files.ts";

const TEXT = { type: "text", text: "look and listen" };
const IMAGE = { type: "image_url", "image_url": { url: "data:image/png;base64,AQID" } };
const OTHER_IMAGE = { type: "image_url", "image_url": { url: "https://x/y.png" } };
const AUDIO = { type: "input_audio", "input_audio": { data: "BAUG", format: "wav" } };
const OTHER_AUDIO = { type: "input_audio", "input_audio": { data: "BwgJ", format: "wav" } };

/** The contents of the first user messages of a file, or a folder, in a folder with media. */
async function contents(
  files: Readonly<Record<string, unknown>>,
  name: string,
  format?: string,
): Promise<unknown[]> {
  let made: unknown[] = [];
  await withFolder(async (folder) => {
    await Deno.writeFile(`${folder}/dot.png`, Uint8Array.of(1, 2, 3));
    await Deno.writeFile(`${folder}/beep.wav`, Uint8Array.of(4, 5, 6));
    for (const [path, row] of Object.entries(files)) {
      const parent = path.split("/").slice(0, -1).join("/");
      await Deno.mkdir(`${folder}/${parent}`, { recursive: true });
      await Deno.writeTextFile(`${folder}/${path}`, lines(row));
    }
    const dataset = { draws: 1, allowedFolders: [folder], ...(format && { format }) };
    const { conversations } = await readFile(`${folder}/${name}`, dataset);
    const { payloads, bodies } = await tableOf(conversations);
    const parts = bodies.map(({ messages }) => messages[0].content);
    const images = parts.map((content) =>
      content.filter(({ type }: { type: string }) => type === "image_url").length
    );
    assert.deepEqual([...payloads.data.images], images);
    made = parts;
  });
  return made;
}

const ROW = { "text": TEXT.text, "image": "dot.png", "audio": "beep.wav" };

Deno.test("a single turn may have an image and a recording, and several of each", async () => {
  assert.deepEqual(await contents({ "a.jsonl": ROW }, "a.jsonl"), [[TEXT, IMAGE, AUDIO]]);
  const several = {
    "text": TEXT.text,
    "images": ["dot.png", "https://x/y.png"],
    "audios": ["beep.wav", "wav,BwgJ"],
  };
  assert.deepEqual(await contents({ "a.jsonl": several }, "a.jsonl"), [
    [TEXT, IMAGE, OTHER_IMAGE, AUDIO, OTHER_AUDIO],
  ]);
  const { text: _, ...media } = ROW;
  assert.deepEqual(await contents({ "a.jsonl": media }, "a.jsonl"), [[IMAGE, AUDIO]]);
});

Deno.test("a turn of a conversation may have an image and a recording", async () => {
  const row = { "turns": [ROW, { "text": "and now?" }] };
  const [first] = await contents({ "a.jsonl": { "turns": [row.turns[0]] } }, "a.jsonl");
  assert.deepEqual(first, [TEXT, IMAGE, AUDIO]);
});

Deno.test("a row of prompts may have image files and a recording", async () => {
  const row = { "prompt": TEXT.text, "image_files": ["dot.png"], "audio": "beep.wav" };
  assert.deepEqual(await contents({ "a.jsonl": row }, "a.jsonl"), [[TEXT, IMAGE, AUDIO]]);
});

Deno.test("pools of images and of recordings make prompts with both", async () => {
  const pools = {
    "pool/1.jsonl": { "text": TEXT.text },
    "pool/2.jsonl": { "image": "../dot.png" },
    "pool/3.jsonl": { "audio": "../beep.wav" },
  };
  assert.deepEqual(await contents(pools, "pool", "random-pool"), [[TEXT, IMAGE, AUDIO]]);
});
