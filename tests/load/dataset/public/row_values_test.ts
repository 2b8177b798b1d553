import assert from "node:assert/strict";
import { DatasetError } from "../../../../src/core/files/dataset_error.ts";
import type { DatasetRow } from "../../../../src/load/dataset/public/dataset_row.ts";
import {
  audioUrl,
  imageUrl,
  recordingSeconds,
  videoUrl,
} from "../../../../src/load/dataset/public/row_media.ts";
import { exchanges, firstPrompt } from "../../../../src/load/dataset/public/row_messages.ts";
import { filledTemplate } from "../../../../src/load/dataset/public/row_text.ts";
import { PIXEL } from "../../../support/data_set_hub.ts";

function row(fields: Record<string, unknown>): DatasetRow {
  return {
    fields,
    error: (message, column) => new DatasetError("f", undefined, `${column}: ${message}`),
  };
}

Deno.test("filledTemplate puts columns into a text, choices with their letters", () => {
  const fields = { q: " Why? ", n: 3n, choices: { A: "yes", B: "no", C: "", D: null }, none: null };
  assert.equal(filledTemplate("{q} {choices}", row(fields)), "Why?  A.yes B.no");
  assert.equal(filledTemplate("{n}{none}", row(fields)), "3");
  assert.equal(filledTemplate("no columns", row({})), "no columns");
  assert.throws(() => filledTemplate("{other}", row(fields)), /other: There is no such column/);
});

Deno.test("exchanges pairs what people say with the answers, in both spellings", () => {
  const gpt = (...said: [string, string][]) => said.map(([from, value]) => ({ from, value }));
  assert.deepEqual(
    exchanges(gpt(["system", "s"], ["human", "a"], ["gpt", "b"], ["human", "c"], ["gpt", "d"])),
    [{ prompt: "a", reply: "b" }, { prompt: "c", reply: "d" }],
  );
  // What has no answer, or an empty one, is left out; an answer without a question too.
  assert.deepEqual(
    exchanges(gpt(["gpt", "x"], ["human", "a"], ["human", "b"], ["gpt", "c"], ["human", "d"])),
    [{ prompt: "b", reply: "c" }],
  );
  assert.deepEqual(exchanges(gpt(["human", "a"], ["gpt", ""])), []);
  const roles = [
    [{ role: "User", content: "<image> hi " }],
    [{ role: "assistant", content: "there" }],
  ];
  assert.deepEqual(exchanges(roles), [{ prompt: "hi", reply: "there" }]);
  assert.deepEqual(exchanges([{ value: "a" }, { value: "b" }, { value: "c" }]), [
    { prompt: "a", reply: "b" },
  ]);
  for (const none of [undefined, null, "text", [], [3], [null]]) {
    assert.deepEqual(exchanges(none), []);
    assert.equal(firstPrompt(none), "");
  }
  assert.equal(firstPrompt([{ role: "system", content: "s" }, ...roles]), "hi");
  assert.equal(firstPrompt([{ content: "first" }]), "first");
});

Deno.test("imageUrl takes bytes, base64 and URLs, and no other files", () => {
  const uri = `data:image/png;base64,${btoa(String.fromCharCode(...PIXEL))}`;
  for (
    const value of [
      PIXEL,
      { bytes: PIXEL, path: null },
      [null, { bytes: PIXEL }],
      uri,
      uri.slice(22),
    ]
  ) {
    assert.equal(imageUrl(value), uri);
  }
  assert.equal(imageUrl("https://h/x.png"), "https://h/x.png");
  const others = [undefined, "", "file:///etc/passwd", "/etc/passwd", new Uint8Array(20), {}, []];
  for (const value of [...others, { bytes: null, path: "/etc/passwd" }]) {
    assert.equal(imageUrl(value), undefined);
  }
});

Deno.test("audioUrl sends recordings as they are, recordingSeconds reads their length", () => {
  const wav = wavOf(16_000, 2, 0.5);
  assert.equal(
    audioUrl({ bytes: wav, path: "a.wav" }),
    `data:audio/wav;base64,${btoa(String.fromCharCode(...wav))}`,
  );
  assert.equal(recordingSeconds(wav), 0.5);
  const flac = new Uint8Array(42);
  flac.set([...new TextEncoder().encode("fLaC"), 0x80, 0, 0, 34]);
  const view = new DataView(flac.buffer);
  view.setUint32(18, 16_000 << 12);
  view.setUint32(22, 16_000 * 31);
  assert.match(audioUrl(flac) ?? "", /^data:audio\/flac;/);
  assert.equal(recordingSeconds(flac), 31);
  assert.equal(recordingSeconds(new Uint8Array([0xff, 0xfb, 0, 0])), undefined);
  for (const value of [undefined, "a.wav", { bytes: null, path: "a" }, new Uint8Array(3)]) {
    assert.equal(audioUrl(value), undefined);
  }
});

Deno.test("videoUrl takes URLs, and no paths", () => {
  assert.equal(videoUrl("https://h/x.mp4"), "https://h/x.mp4");
  for (const value of ["x.mp4", "file:///x.mp4", "", undefined, 3]) {
    assert.equal(videoUrl(value), undefined);
  }
});

/** A WAV file of silence, with a chunk that is not about sound before the data. */
function wavOf(rate: number, bytesPerSample: number, seconds: number): Uint8Array {
  const length = rate * bytesPerSample * seconds;
  const bytes = new Uint8Array(12 + 24 + 8 + 3 + 1 + 8 + length);
  const view = new DataView(bytes.buffer);
  const name = (at: number, text: string) => bytes.set(new TextEncoder().encode(text), at);
  name(0, "RIFF");
  name(8, "WAVEfmt ");
  view.setUint32(16, 16, true);
  view.setUint32(24, rate, true);
  view.setUint32(28, rate * bytesPerSample, true);
  name(36, "LIST");
  view.setUint32(40, 3, true);
  name(48, "data");
  view.setUint32(52, length, true);
  return bytes;
}
