import assert from "node:assert/strict";
import { capturedRequests } from "../../../scripts/bench/capture/captured_requests.ts";

const PORT = 8000;
const CLIENT_PORT = 50_000;
const SECONDS = 1_700_000_000;
const SYN = 2;
const ACK = 16;

/** What a side of a connection sends. */
interface Sent {
  /** Microseconds after the capture's begin. */
  readonly atUs: number;
  readonly isReply?: boolean;
  readonly text: string;
  /** Number of its first byte, from the connection's begin. */
  readonly sequence: number;
  readonly flags?: number;
  readonly clientPort?: number;
}

/** A capture of these packets, as tcpdump writes it. */
function capture(sent: readonly Sent[], isV6 = false, isNano = true): Uint8Array<ArrayBuffer> {
  const parts: Uint8Array[] = [];
  const head = new DataView(new ArrayBuffer(24));
  head.setUint32(0, isNano ? 0xa1b23c4d : 0xa1b2c3d4, true);
  head.setUint32(20, 1, true);
  parts.push(new Uint8Array(head.buffer));
  for (const { atUs, isReply = false, text, sequence, flags = ACK, clientPort } of sent) {
    const body = new TextEncoder().encode(text);
    const ipBytes = isV6 ? 40 : 20;
    const packet = new Uint8Array(14 + ipBytes + 20 + body.length);
    const view = new DataView(packet.buffer);
    view.setUint16(12, isV6 ? 0x86dd : 0x0800);
    packet[14] = isV6 ? 0x60 : 0x45;
    packet[14 + (isV6 ? 6 : 9)] = 6;
    if (isV6) view.setUint16(18, 20 + body.length);
    else view.setUint16(16, 40 + body.length);
    const tcp = 14 + ipBytes;
    const ports = [PORT, clientPort ?? CLIENT_PORT];
    view.setUint16(tcp, ports[isReply ? 0 : 1] as number);
    view.setUint16(tcp + 2, ports[isReply ? 1 : 0] as number);
    // Numbers run over their end soon after the connection's begin.
    view.setUint32(tcp + 4, (sequence + 2 ** 32 - 50) % 2 ** 32);
    packet[tcp + 12] = 5 << 4;
    packet[tcp + 13] = flags;
    packet.set(body, tcp + 20);
    const record = new DataView(new ArrayBuffer(16));
    record.setUint32(0, SECONDS + Math.floor(atUs / 1e6), true);
    record.setUint32(4, (atUs % 1e6) * (isNano ? 1000 : 1), true);
    record.setUint32(8, packet.length, true);
    record.setUint32(12, packet.length, true);
    parts.push(new Uint8Array(record.buffer), packet);
  }
  return new Uint8Array(parts.flatMap((part) => [...part]));
}

/** Packets of one side, one after the other, that begin with the first number after the SYN. */
function packets(isReply: boolean, texts: readonly (readonly [number, string])[]): Sent[] {
  let sequence = 1;
  return texts.map(([atUs, text]) => {
    const sent = { atUs, isReply, text, sequence };
    sequence += new TextEncoder().encode(text).length;
    return sent;
  });
}

const SYNS: readonly Sent[] = [
  { atUs: 0, text: "", sequence: 0, flags: SYN },
  { atUs: 1, isReply: true, text: "", sequence: 0, flags: SYN | ACK },
];

function request(id: string, body = "{}"): string {
  return `POST /v1/chat/completions HTTP/1.1\r\nX-Request-ID: ${id}\r\n` +
    `Content-Length: ${body.length}\r\n\r\n${body}`;
}

function chunk(text: string): string {
  return `${new TextEncoder().encode(text).length.toString(16)}\r\n${text}\r\n`;
}

function event(delta: object): string {
  return `data: ${JSON.stringify({ choices: [{ delta }] })}\n\n`;
}

const STREAM_HEAD = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n" +
  "Transfer-Encoding: chunked\r\n\r\n";

/** Microseconds from a request's arrival to each write of content. */
function writesUs(file: Uint8Array, id: string): number[] {
  const found = capturedRequests(file, PORT).get(id);
  assert.ok(found, `${id} was captured`);
  return [...found.writesNs].map((ns) => ns / 1000);
}

/** Two replies on a connection, the first of them of an event in two packets. */
function streamed(): Sent[] {
  const halves = chunk(event({ content: "é b" }));
  return [
    ...SYNS,
    ...packets(false, [[10, request("a").slice(0, 40)], [12, request("a").slice(40)], [
      600,
      request("b", '{"n":1}'),
    ]]),
    ...packets(true, [
      [100, STREAM_HEAD + chunk(event({ role: "assistant", content: "" }))],
      [200, halves.slice(0, 30)],
      [300, halves.slice(30)],
      [400, chunk(": comment\n\n") + chunk(event({ reasoning_content: "c" }))],
      [500, chunk("data: [DONE]\n\n") + chunk("")],
      [700, 'HTTP/1.1 200 OK\r\nContent-Length: 11\r\n\r\n{"a"'],
      [800, ': "b"}\n'],
    ]),
  ].sort((one, other) => one.atUs - other.atUs);
}

Deno.test("capturedRequests tell when the packet with an event's last byte was sent", () => {
  for (const isV6 of [false, true]) {
    for (const isNano of [false, true]) {
      const file = capture(streamed(), isV6, isNano);
      const found = capturedRequests(file, PORT);
      assert.deepEqual([...found.keys()], ["a", "b"]);
      assert.equal(found.get("a")?.arrivalNs, BigInt(SECONDS) * 1_000_000_000n + 12_000n);
      assert.deepEqual(writesUs(file, "a"), [288, 388], `IPv6 ${isV6}, ns ${isNano}`);
      assert.deepEqual(writesUs(file, "b"), [200], "a reply in one piece, when it was whole");
    }
  }
});

Deno.test("capturedRequests put packets in order, and count what is sent again once", () => {
  const sent = streamed();
  const [third] = sent.splice(sent.findIndex(({ atUs }) => atUs === 300), 1);
  assert.ok(third);
  // Processors of the machine hand over what they captured in an order of their own.
  sent.splice(sent.findIndex(({ atUs }) => atUs === 200), 0, third);
  const again = sent.find(({ atUs }) => atUs === 400) as Sent;
  sent.splice(sent.findIndex(({ atUs }) => atUs === 500), 0, { ...again, atUs: 450 });
  const part = { ...again, text: again.text.slice(0, 20), atUs: 460 };
  sent.splice(sent.findIndex(({ atUs }) => atUs === 500), 0, part);
  assert.deepEqual(writesUs(capture(sent), "a"), [288, 388]);
});

Deno.test("capturedRequests tell connections of one port apart, and of other servers nothing", () => {
  const one = streamed();
  const later = one.map((sent) => ({
    ...sent,
    atUs: sent.atUs + 1000,
    text: sent.text.replace("ID: a", "ID: c").replace("ID: b", "ID: d"),
  }));
  const file = capture([...one, ...later]);
  assert.deepEqual([...capturedRequests(file, PORT).keys()], ["a", "b", "c", "d"]);
  assert.deepEqual(writesUs(file, "c"), writesUs(file, "a"));
  assert.equal(capturedRequests(file, 9000).size, 0);
  // The first one broke in the middle of a reply.
  const broken = capture([...one.filter(({ atUs }) => atUs !== 800), ...later]);
  assert.deepEqual([...capturedRequests(broken, PORT).keys()], ["a", "c", "d"]);
});

Deno.test("capturedRequests leave out what was not captured to its end", () => {
  const sent = streamed().filter(({ atUs }) => atUs !== 800);
  assert.deepEqual([...capturedRequests(capture(sent), PORT).keys()], ["a"]);
  for (const bytes of [3, 30, 60]) {
    const file = capture(streamed()).slice(0, -bytes);
    assert.deepEqual([...capturedRequests(file, PORT).keys()], ["a"], `without ${bytes} bytes`);
  }
  const unasked = streamed().map((each) =>
    each.atUs === 600 ? { ...each, text: each.text.slice(0, -1) } : each
  );
  assert.deepEqual([...capturedRequests(capture(unasked), PORT).keys()], ["a"], "its request");
  const odd = packets(true, [[100, `${STREAM_HEAD}what\r\n`]]);
  assert.equal(
    capturedRequests(capture([...packets(false, [[10, request("a")]]), ...odd]), PORT).size,
    0,
  );
});

Deno.test("capturedRequests refuse what is no capture, or one of parts of packets", () => {
  assert.throws(() => capturedRequests(new Uint8Array(10), PORT), SyntaxError);
  const file = capture(SYNS);
  new DataView(file.buffer).setUint32(24 + 12, 9999, true);
  assert.throws(() => capturedRequests(file, PORT), /9999 bytes/);
});
