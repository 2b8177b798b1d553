import type { ResponseHead } from "./response_head.ts";
import type { ReplySink, TransportErrorKind } from "./transport.ts";

/** The content coding of a reply that has one; requests ask for none, but some proxies add it. */
export function contentEncodingOf(head: ResponseHead): string | undefined {
  for (const [name, value] of head.headers) {
    if (name === "content-encoding" && value !== "" && value.toLowerCase() !== "identity") {
      return value.toLowerCase();
    }
  }
  return undefined;
}

/** Compressed bytes handed to the decoder at once: a thousandfold of them may come out in one piece. */
const PIECE_BYTES = 4096;

type Bytes = Uint8Array<ArrayBuffer>;
type Decoder = ReadableWritablePair<Bytes, Bytes>;

async function decoderFor(encoding: string): Promise<Decoder | undefined> {
  switch (encoding.replace(/^x-/, "")) {
    case "gzip":
      return new DecompressionStream("gzip");
    case "deflate":
      return new DecompressionStream("deflate");
    case "br": {
      // Deno 2.6's DecompressionStream has no brotli; loaded only where a server sends it.
      const [{ Duplex }, { createBrotliDecompress }] = await Promise.all([
        import("node:stream"),
        import("node:zlib"),
      ]);
      return Duplex.toWeb(createBrotliDecompress()) as unknown as Decoder;
    }
    default:
      return undefined;
  }
}

/** Decompresses a reply's body before another sink gets it. */
export class DecodingSink implements ReplySink {
  readonly #inner: ReplySink;
  readonly #encoding: string;
  #writer: WritableStreamDefaultWriter<Bytes> | undefined;
  #stampNs = 0;
  /** Nothing more is reported. */
  #silent = false;

  constructor(inner: ReplySink, encoding: string) {
    this.#inner = inner;
    this.#encoding = encoding;
  }

  get isAwaited(): boolean {
    return this.#inner.isAwaited === true;
  }

  onSent(): void {}

  onHead(head: ResponseHead, stampNs: number): void {
    this.#stampNs = stampNs;
    this.#inner.onHead(head, stampNs);
    const input = new TransformStream<Bytes, Bytes>();
    this.#writer = input.writable.getWriter();
    this.#pump(input.readable);
  }

  onBody(bytes: Uint8Array, start: number, end: number, stampNs: number): void {
    this.#stampNs = stampNs;
    for (let from = start; from < end; from += PIECE_BYTES) {
      // A copy: the stream reads later, the connection's buffer is reused at once.
      const piece = bytes.slice(from, Math.min(end, from + PIECE_BYTES)) as Bytes;
      this.#writer?.write(piece).catch(() => {});
    }
  }

  onEnd(stampNs: number): void {
    this.#stampNs = stampNs;
    this.#writer?.close().catch(() => {});
  }

  onFailure(kind: TransportErrorKind, message: string, stampNs: number): void {
    if (this.#silent) return;
    this.#silent = true;
    this.#inner.onFailure(kind, message, stampNs);
  }

  async #pump(input: ReadableStream<Bytes>): Promise<void> {
    try {
      const decoder = await decoderFor(this.#encoding);
      if (decoder === undefined) {
        this.#fail(`Reply is compressed in a way this program cannot read: ${this.#encoding}`);
        return;
      }
      for await (const piece of input.pipeThrough(decoder)) {
        if (this.#silent) return;
        this.#inner.onBody(piece, 0, piece.length, this.#stampNs);
      }
    } catch {
      this.#fail(`Reply does not decompress as ${this.#encoding}`);
      return;
    }
    if (!this.#silent) this.#inner.onEnd(this.#stampNs);
  }

  /** Reports nothing more: the request was given up, and its sink may serve another one. */
  cancel(): void {
    this.#silent = true;
  }

  #fail(message: string): void {
    this.onFailure("protocol", message, this.#stampNs);
  }
}
