import assert from "node:assert/strict";
import { RequestBytes } from "../../../src/client/http/request_bytes.ts";
import type { OutgoingRequest } from "../../../src/client/http/transport.ts";

const encoder = new TextEncoder();
const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);

const REQUEST: OutgoingRequest = {
  origin: { protocol: "http:", hostname: "a", port: 1, addresses: [], host: "a:1" },
  method: "POST",
  path: "/v1",
  headerLines: "X-All: 1\r\n",
  ownLines: "X-Own: 2\r\n",
  body: [encoder.encode("{"), encoder.encode("}")],
};

Deno.test("RequestBytes writes head and body", () => {
  assert.equal(
    text(new RequestBytes().of(REQUEST)),
    "POST /v1 HTTP/1.1\r\nHost: a:1\r\nX-All: 1\r\nX-Own: 2\r\nContent-Length: 2\r\n\r\n{}",
  );
  assert.equal(
    text(new RequestBytes().of({ ...REQUEST, method: "GET", ownLines: "X-Own: é\r\n", body: [] })),
    "GET /v1 HTTP/1.1\r\nHost: a:1\r\nX-All: 1\r\nX-Own: é\r\n\r\n",
  );
});

Deno.test("RequestBytes takes bodies out of shared memory, wherever they lie in it", () => {
  const arena = new Uint8Array(new SharedArrayBuffer(50_000));
  for (let i = 0; i < arena.length; i++) arena[i] = 97 + i % 23;
  for (
    const [from, length] of [[0, 0], [1, 5], [7, 100], [8, 16_384], [11, 16_385], [13, 40_000]]
  ) {
    const body = [
      arena.subarray(from, (from as number) + (length as number)),
      arena.subarray(3, 4),
    ];
    const written = text(new RequestBytes().of({ ...REQUEST, body }));
    assert.equal(written.split("\r\n\r\n")[1], body.map((piece) => text(piece.slice())).join(""));
  }
});

Deno.test("RequestBytes writes each request as if there had been none before it", () => {
  const kept = new RequestBytes();
  const other = { ...REQUEST.origin, host: "b:1" };
  const long = encoder.encode("x".repeat(20_000));
  const changes: Partial<OutgoingRequest>[] = [
    ...[{}, { ownLines: "X-Own: 33333\r\n" }, { ownLines: "é\r\n" }, { body: [long] }, {}],
    ...[{ body: [encoder.encode("y".repeat(3000))] }, { path: "/v2" }, { method: "GET" as const }],
    ...[{ origin: other }, { headerLines: "X-All: 44\r\n" }, { headerLines: "" }, {}],
  ];
  for (const change of changes) {
    const request = { ...REQUEST, ...change };
    assert.equal(text(kept.of(request)), text(new RequestBytes().of(request)));
  }
});
