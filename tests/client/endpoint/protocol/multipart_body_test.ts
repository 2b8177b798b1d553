import fc from "fast-check";
import assert from "node:assert/strict";
import { encodeBase64 } from "../../../../src/client/endpoint/protocol/base64.ts";
import {
  formFile,
  MULTIPART_BODY,
} from "../../../../src/client/endpoint/protocol/multipart_body.ts";

const bytes = (text: string) => new TextEncoder().encode(text);

Deno.test("a form of any texts and files is what it was after it was read", () => {
  const text = fc.string({ unit: "binary" }).map((value) => value.toWellFormed());
  const file = fc.uint8Array({ maxLength: 300 }).map((content) =>
    formFile({ type: "image/png", base64: encodeBase64(content) }, "image")
  );
  fc.assert(
    fc.property(
      fc.dictionary(fc.string({ minLength: 1, unit: "grapheme-ascii" }), fc.oneof(text, file)),
      (fields) => {
        // A name may have no percent sign of its own: browsers write those as they are.
        if (Object.keys(fields).some((name) => name.includes("%"))) return;
        if (Object.keys(fields).length === 0) return;
        const read = MULTIPART_BODY.decode(MULTIPART_BODY.encode(fields)) ?? {};
        assert.deepEqual(Object.entries(read), Object.entries(fields));
      },
    ),
    { numRuns: 500, examples: [[{ "text": "\uFEFF" }]] },
  );
});

Deno.test("a form is one that the runtime reads, whatever its names and values", async () => {
  const content = Uint8Array.of(0, 255, 13, 10, 45, 45);
  const body = MULTIPART_BODY.encode({
    "a name": "line\r\n--two",
    "n": 2,
    "options": { "a": [1] },
    "none": undefined,
    "file": formFile({ type: "audio/mpeg", base64: encodeBase64(content) }, "audio"),
  });
  const form = await new Response(body, {
    headers: { "content-type": MULTIPART_BODY.contentType },
  }).formData();
  const { file, ...texts } = Object.fromEntries(form);
  assert.deepEqual(texts, { "a name": "line\r\n--two", "n": "2", "options": '{"a":[1]}' });
  assert.ok(file instanceof File);
  assert.equal(file.name, "audio.mp3");
  assert.equal(file.type, "audio/mpeg");
  assert.deepEqual(await file.bytes(), content);
});

Deno.test("each entry of a list is a field of its own", async () => {
  const fields = { "timestamp_granularities[]": ["word", "segment"], "model": "m", "one": ["x"] };
  const body = MULTIPART_BODY.encode({ ...fields, "none": [] });
  const form = await new Response(body, {
    headers: { "content-type": MULTIPART_BODY.contentType },
  }).formData();
  assert.deepEqual(form.getAll("timestamp_granularities[]"), ["word", "segment"]);
  assert.deepEqual(form.getAll("one"), ["x"]);
  assert.equal(form.has("none"), false);
  assert.deepEqual({ ...MULTIPART_BODY.decode(body) }, { ...fields, "one": "x" });
});

Deno.test("a form of another client is read with its own boundary; what is none is not", async () => {
  const form = new FormData();
  form.append("model", "whisper");
  form.append("file", new File([Uint8Array.of(1, 2)], "a.wav", { type: "audio/wav" }));
  const sent = await new Response(form).bytes();
  assert.deepEqual({ ...MULTIPART_BODY.decode(sent) }, {
    "model": "whisper",
    "file": { "filename": "a.wav", "content_type": "audio/wav", "b64_data": "AQI=" },
  });
  for (
    const text of ["", "{}", "--a\r\n", "--a\r\n\r\nx", "--a\r\nContent-Disposition: x\r\n\r\ny"]
  ) {
    assert.equal(MULTIPART_BODY.decode(bytes(text)), undefined, text);
  }
  assert.equal(MULTIPART_BODY.decode(sent.subarray(0, sent.length - 10)), undefined);
});
