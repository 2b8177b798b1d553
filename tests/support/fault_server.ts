/**
 * An inference server with every fault that servers and networks were seen to have, chosen by the
 * path: `POST /<fault>/v1/chat/completions`. What it says are the streams of any endpoint type.
 */

import { chat } from "../../src/client/endpoint/openai/chat.ts";
import type { EndpointType } from "../../src/client/endpoint/protocol/endpoint_type.ts";
import type { ScriptedReply } from "../../src/client/endpoint/protocol/reply_writer.ts";

const encoder = new TextEncoder();

/** What happens to the bytes of a connection. */
interface Wire {
  readonly connection: Deno.TcpConn;
  /** Number of the request for this fault, from 0. */
  readonly number: number;
  write(text: string | Uint8Array): Promise<void>;
  /** Ends the connection in an orderly way. */
  close(): void;
  /** Waits until the client is gone. */
  untilClosed(): Promise<void>;
}

/** What ends a chunked body. */
const END = "0\r\n\r\n";

/** A chunk of a chunked body; none for an empty text, as an empty chunk ends the body. */
export function chunk(text: string): string {
  return text === "" ? "" : `${encoder.encode(text).length.toString(16)}\r\n${text}\r\n`;
}

/** The streams of a type in pieces. */
interface StreamWords {
  /** Heads of replies: of a chunked body, and of one that ends with its connection. */
  readonly head: string;
  readonly closingHead: string;
  readonly contentType: string;
  /** The beginning and an event with this text. */
  begun(text: string): string;
  /** Another event. */
  content(text: string): string;
  /** What comes after the last content. */
  readonly finish: string;
  readonly empty: string;
  readonly failure: string;
  readonly malformed: string;
  readonly ping: string;
  readonly lineStart: string;
  /** The same in one piece, and its type. */
  readonly whole: string;
  readonly wholeType: string;
}

function wordsOf({ writer }: EndpointType): StreamWords {
  const { stream } = writer;
  if (stream === undefined) throw new RangeError("There are no streams of this type");
  const replyOf = (texts: readonly string[]): ScriptedReply => ({
    id: "1",
    createdSeconds: 1,
    model: "m",
    promptTokens: 3,
    pieces: texts.map((text) => ({ text, tokens: 1, isReasoning: false })),
    finishReason: "stop",
    includeUsage: true,
    usageInChunks: false,
    results: texts.length,
  });
  const { contentType } = stream;
  const head = `HTTP/1.1 200 OK\r\nContent-Type: ${contentType}\r\n`;
  const isLines = !contentType.startsWith("text/event-stream");
  const whole = writer.whole(replyOf(["a", " b"]));
  const frames = (texts: readonly string[]) => stream.frames(replyOf(texts));
  const opening = frames(["a"]).opening.join("");
  return {
    head: `${head}Transfer-Encoding: chunked\r\n\r\n`,
    closingHead: `${head}Connection: close\r\n\r\n`,
    contentType,
    begun: (text) => opening + frames([text]).content.join(""),
    content: (text) => frames(["a", text]).content.at(-1) ?? "",
    finish: frames(["a"]).closing.join(""),
    empty: opening + frames([]).closing.join(""),
    failure: stream.failure("engine died").join(""),
    malformed: stream.malformed,
    ping: isLines ? "\n" : ": ping\n\n",
    lineStart: isLines ? '{"' : "data: ",
    whole: String(whole.body),
    wholeType: whole.contentType,
  };
}

function plain(status: string, body: string, headers = ""): string {
  const length = encoder.encode(body).length;
  return `HTTP/1.1 ${status}\r\nContent-Length: ${length}\r\n${headers}\r\n${body}`;
}

/** A text, packed. */
export async function gzip(text: string): Promise<Uint8Array> {
  const stream = new Blob([text]).stream().pipeThrough(new CompressionStream("gzip"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** Sixty kilobytes that become sixty megabytes; made once, as that takes longer than a request may. */
/** Bytes of an endless stream that come as fast as they are read. */
const AT_ONCE = 2_000_000;

let bomb: Promise<Uint8Array> | undefined;

/** What happens to a request, by the names of faults. */
type Faults = Readonly<Record<string, (wire: Wire, head: string) => Promise<void>>>;

function faultsOf(words: StreamWords): Faults {
  const goodBody = chunk(words.begun("a")) + chunk(words.content(" b")) + chunk(words.finish) +
    END;
  return {
    "good": (wire) => wire.write(words.head + goodBody),
    "status_400": (wire) => wire.write(plain("400 Bad Request", '{"detail":"bad"}')),
    "status_401_echo": (wire, head) =>
      wire.write(plain(
        "401 Unauthorized",
        `{"error":{"message":"Wrong key: ${/authorization: (.*)/i.exec(head)?.[1] ?? ""}"}}`,
      )),
    "status_404": (wire) => wire.write(plain("404 Not Found", "")),
    "status_429": (wire) => wire.write(plain("429 Too Many Requests", "slow down")),
    "status_500": (wire) => wire.write(plain("500 Internal Server Error", "oops")),
    "status_503": (wire) => wire.write(plain("503 Service Unavailable", "")),
    "html_502": (wire) =>
      wire.write(plain("502 Bad Gateway", "<html>502</html>", "Content-Type: text/html\r\n")),
    "flaky": (wire) =>
      wire.write(
        wire.number % 2 === 0 ? words.head + goodBody : plain("500 Internal Server Error", ""),
      ),
    "fin_at_once": (wire) => Promise.resolve(wire.close()),
    "fin_in_chunk": async (wire) => {
      await wire.write(words.head + chunk(words.begun("a")) + "80\r\ndata: {");
      wire.close();
    },
    "fin_close_delimited": async (wire) => {
      await wire.write(words.closingHead + words.begun("a"));
      wire.close();
    },
    "good_close_delimited": async (wire) => {
      await wire.write(words.closingHead + words.begun("a") + words.finish);
      wire.close();
    },
    "http_1_0": async (wire) => {
      await wire.write(
        `HTTP/1.0 200 OK\r\nContent-Type: ${words.contentType}\r\n\r\n` + words.begun("a") +
          words.finish,
      );
      wire.close();
    },
    "bad_chunk_size": (wire) => wire.write(words.head + "zz\r\ndata\r\n"),
    "length_too_long": async (wire) => {
      await wire.write('HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\n{"choices":[]}');
      wire.close();
    },
    "garbage": (wire) => wire.write("\x16\x03\x01 this is not HTTP\r\n\r\n"),
    "huge_header": (wire) =>
      wire.write(`HTTP/1.1 200 OK\r\nX-A: ${"a".repeat(1024 * 1024)}\r\n\r\n`),
    "stall_before_head": (wire) => wire.untilClosed(),
    "stall_before_token": async (wire) => {
      await wire.write(words.head);
      await wire.untilClosed();
    },
    "stall_in_stream": async (wire) => {
      await wire.write(words.head + chunk(words.begun("a")));
      await wire.untilClosed();
    },
    "pings_for_ever": async (wire) => {
      await wire.write(words.head);
      for (;;) {
        await wire.write(chunk(words.ping));
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    },
    "byte_by_byte": async (wire) => {
      for (const byte of encoder.encode(words.head + goodBody)) {
        await wire.write(Uint8Array.of(byte));
      }
    },
    "infinite_stream": async (wire) => {
      await wire.write(words.head);
      const many = chunk(words.content("word").repeat(200));
      for (let written = 0; written < AT_ONCE; written += many.length) await wire.write(many);
      // No client knows that the rest comes slowly, and the machine has other tests to run.
      for (;;) {
        await wire.write(chunk(words.content("word")));
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    },
    "infinite_line": async (wire) => {
      await wire.write(`${words.head}${chunk(words.lineStart)}`);
      const many = chunk("x".repeat(60_000));
      for (;;) await wire.write(many);
    },
    "infinite_error_body": async (wire) => {
      await wire.write("HTTP/1.1 500 Internal Server Error\r\nTransfer-Encoding: chunked\r\n\r\n");
      const many = chunk("error ".repeat(10_000));
      for (;;) await wire.write(many);
    },
    "error_in_stream": (wire) =>
      wire.write(
        words.head + chunk(words.begun("a")) +
          chunk(words.failure) + END,
      ),
    "gzip": async (wire) => {
      const body = await gzip(words.begun("a") + words.finish);
      await wire.write(
        `HTTP/1.1 200 OK\r\nContent-Type: ${words.contentType}\r\nContent-Encoding: gzip\r\n` +
          `Content-Length: ${body.length}\r\n\r\n`,
      );
      await wire.write(body);
    },
    "gzip_bomb": async (wire) => {
      const body = await bomb as Uint8Array;
      await wire.write(
        `HTTP/1.1 200 OK\r\nContent-Type: ${words.contentType}\r\nContent-Encoding: gzip\r\n` +
          `Content-Length: ${body.length}\r\n\r\n`,
      );
      await wire.write(body);
    },
    "invalid_utf8": async (wire) => {
      await wire.write(words.head);
      const event = encoder.encode(words.begun("a?b"));
      event[event.indexOf(63)] = 0xff;
      const size = encoder.encode(`${event.length.toString(16)}\r\n`);
      await wire.write(size);
      await wire.write(event);
      await wire.write(`\r\n${chunk(words.finish)}${END}`);
    },
    "split_utf8": async (wire) => {
      for (
        const byte of encoder.encode(words.head + chunk(words.begun("🚀é中")) + chunk(words.finish))
      ) {
        await wire.write(Uint8Array.of(byte));
      }
      await wire.write(END);
    },
    "redirect_elsewhere": (wire) =>
      wire.write(plain("307 Temporary Redirect", "", "Location: http://127.0.0.1:1/evil\r\n")),
    "redirect_loop": (wire) =>
      wire.write(plain("302 Found", "", "Location: /redirect_loop/v1/chat/completions\r\n")),
    "redirect_file": (wire) =>
      wire.write(plain("302 Found", "", "Location: file:///etc/passwd\r\n")),
    "closes_idle": async (wire) => {
      await wire.write(words.head + goodBody);
      wire.close();
    },
    "empty_200": (wire) => wire.write(plain("200 OK", "")),
    "json_for_stream": (wire) =>
      wire.write(plain(
        "200 OK",
        words.whole,
        `Content-Type: ${words.wholeType}\r\n`,
      )),
    "no_content": (wire) => wire.write(words.head + chunk(words.empty) + END),
    "malformed_event": (wire) => wire.write(words.head + chunk(words.malformed) + goodBody),
    "no_finish": (wire) => wire.write(words.head + chunk(words.begun("a")) + END),
  };
}

/** Names of the faults. */
export const FAULTS: readonly string[] = Object.keys(faultsOf(wordsOf(chat)));

/** A running fault server. */
export interface FaultServer {
  readonly port: number;
  /** Base URL whose requests get that fault. */
  url(fault: string): string;
  /** Heads of all requests so far. */
  readonly heads: readonly string[];
  close(): void;
}

/** Starts a fault server on a free port of 127.0.0.1. */
export function startFaultServer(type: EndpointType = chat): FaultServer {
  const faults = faultsOf(wordsOf(type));
  // Made before it is needed.
  bomb ??= gzip(`data: ${"x".repeat(64 * 1024 * 1024)}\n\n`);
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const port = (listener.addr as Deno.NetAddr).port;
  const heads: string[] = [];
  const counts = new Map<string, number>();
  const connections = new Set<Deno.TcpConn>();
  let closed = false;
  (async () => {
    try {
      for await (const connection of listener) {
        connections.add(connection);
        serve(connection).finally(() => connections.delete(connection));
      }
    } catch (error) {
      if (!closed) throw error;
    }
  })();

  async function serve(connection: Deno.TcpConn): Promise<void> {
    let open = true;
    const close = (): void => {
      if (open && connections.has(connection)) connection.close();
      open = false;
    };
    const wire = (number: number): Wire => ({
      connection,
      number,
      async write(text) {
        const bytes = typeof text === "string" ? encoder.encode(text) : text;
        for (let sent = 0; sent < bytes.length;) {
          sent += await connection.write(bytes.subarray(sent));
        }
      },
      close,
      async untilClosed() {
        await connection.read(new Uint8Array(1)).catch(() => null);
      },
    });
    try {
      while (open) {
        const head = await readRequest(connection);
        if (head === undefined) break;
        heads.push(head);
        const fault = /^POST \/(\w+)\//.exec(head)?.[1] ?? "status_404";
        const number = counts.get(fault) ?? 0;
        counts.set(fault, number + 1);
        await (faults[fault] ?? faults["status_404"])?.(wire(number), head);
      }
    } catch {
      // The client is gone.
    }
    close();
  }

  return {
    port,
    url: (fault) => `http://127.0.0.1:${port}/${fault}`,
    heads,
    close() {
      closed = true;
      listener.close();
      for (const connection of connections) {
        connections.delete(connection);
        try {
          connection.close();
        } catch {
          // It was closed before.
        }
      }
    },
  };
}

/** Reads a whole request; returns its head. */
async function readRequest(connection: Deno.TcpConn): Promise<string | undefined> {
  const decoder = new TextDecoder("latin1");
  const buffer = new Uint8Array(65_536);
  let text = "";
  for (;;) {
    const headEnd = text.indexOf("\r\n\r\n");
    if (headEnd >= 0) {
      const head = text.slice(0, headEnd);
      const length = Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0);
      if (text.length >= headEnd + 4 + length) return head;
    }
    const count = await connection.read(buffer);
    if (count === null) return undefined;
    text += decoder.decode(buffer.subarray(0, count));
  }
}
