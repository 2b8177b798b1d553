/**
 * The least that a client on this runtime can do: it reads the streams of some connections and looks
 * for nothing but their first event and their end. What the product costs beyond this is its own; so
 * are later first tokens, as far as they do not differ by noise.
 *
 *     deno run --allow-net --allow-write bare_loop.ts URL CONCURRENCY REQUESTS TOKENS MODEL FILE
 */

import { percentile } from "../../src/core/statistics/percentile.ts";

const READ_BYTES = 16 * 1024;
const encoder = new TextEncoder();
const FIRST_EVENT = encoder.encode("data:");
const END_OF_REPLY = encoder.encode("\r\n0\r\n\r\n");

/** Reads one reply. Returns when its first event was there, undefined if it is no reply. */
async function readReply(
  connection: Deno.TcpConn,
  buffer: Uint8Array,
): Promise<number | undefined> {
  let firstMs: number | undefined;
  for (;;) {
    const count = await connection.read(buffer);
    if (count === null) return undefined;
    if (firstMs === undefined && includes(buffer, count, FIRST_EVENT)) firstMs = performance.now();
    if (endsWith(buffer, count, END_OF_REPLY)) return firstMs;
  }
}

function includes(buffer: Uint8Array, length: number, wanted: Uint8Array): boolean {
  const last = length - wanted.length;
  for (let at = 0; at <= last; at++) {
    if (wanted.every((byte, index) => buffer[at + index] === byte)) return true;
  }
  return false;
}

function endsWith(buffer: Uint8Array, length: number, wanted: Uint8Array): boolean {
  const start = length - wanted.length;
  for (let index = wanted.length - 1; index >= 0; index--) {
    if (buffer[start + index] !== wanted[index]) return false;
  }
  return true;
}

async function writeAll(connection: Deno.TcpConn, bytes: Uint8Array): Promise<void> {
  for (let sent = 0; sent < bytes.length;) sent += await connection.write(bytes.subarray(sent));
}

const [url, concurrency, requests, tokens, model, file] = Deno.args as [
  ...[string, string, string, string, string, string],
];
const { hostname, port } = new URL(url);
const body = JSON.stringify({
  model,
  messages: [{ role: "user", content: "the ".repeat(50) }],
  stream: true,
  max_completion_tokens: Number(tokens),
});
const request = encoder.encode(
  `POST /v1/chat/completions HTTP/1.1\r\nHost: ${hostname}:${port}\r\n` +
    `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
);

let left = Number(requests);
let failed = 0;
const ttftMs: number[] = [];

async function runConnection(): Promise<void> {
  using connection = await Deno.connect({ hostname, port: Number(port) });
  connection.setNoDelay(true);
  const buffer = new Uint8Array(READ_BYTES);
  while (left > 0) {
    left--;
    const startMs = performance.now();
    await writeAll(connection, request);
    const firstMs = await readReply(connection, buffer);
    if (firstMs === undefined) {
      failed++;
      return;
    }
    ttftMs.push(firstMs - startMs);
  }
}

await Promise.all(Array.from({ length: Number(concurrency) }, runConnection));
const sorted = Float64Array.from(ttftMs).sort();
const [ttftP50Ms, ttftP99Ms] = [percentile(sorted, 50), percentile(sorted, 99)];
await Deno.writeTextFile(file, JSON.stringify({ failed, ttftP50Ms, ttftP99Ms }));
