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

/** Compressed bytes passed to the decoder at once: the output may be a thousand times as large. */
const PIECE_BYTES = 4096;

type Bytes = Uint8Array<ArrayBuffer>;
type Decoder = ReadableWritablePair<Bytes, Bytes>;

async function decoderFor(encoding: string): Promise<Decoder | undefined> {
  switch (encoding.replace(/^x-/, "")) {
    case "gzip":
      return new DecompressionStream("gzip");
    case "deflate":
      return new DecompressionStream("deflate");
    case "br":
      return await brotliDecoder();
    default:
      return undefined;
  }
}

/** Deno 2.6's DecompressionStream has no brotli; loaded only where a server sends it. */
async function brotliDecoder(): Promise<Decoder> {
  const { createBrotliDecompress } = await import("node:zlib");
  const decoder = createBrotliDecompress();
  const failed = new Promise<never>((_, reject) => decoder.once("error", reject));
  failed.catch(() => {});
  return new TransformStream<Bytes, Bytes>({
    start: (controller) => void decoder.on("data", (piece: Bytes) => controller.enqueue(piece)),
    // A stream of Node's takes the next piece before all of this one has come out.
    transform: (piece) =>
      Promise.race([failed, new Promise<void>((resolve) => decoder.write(piece, () => resolve()))]),
    flush: () =>
      Promise.race([failed, new Promise<void>((resolve) => decoder.once("end", resolve).end())]),
  });
}

/** A piece of a body, and when it was read. */
interface ReadPiece {
  readonly bytes: Bytes;
  readonly stampNs: number;
}

/**
 * Decompresses a reply's body before another sink receives it. Decoders work asynchronously, and
 * several reads may come at once: each piece enters after all output of the previous piece, so that
 * output keeps the timestamp of its input.
 */
export class DecodingSink implements ReplySink {
  readonly #inner: ReplySink;
  readonly #encoding: string;
  readonly #pieces: ReadPiece[] = [];
  /** Timestamp of the last bytes passed to the decoder, in nanoseconds. */
  #stampNs = 0;
  /** When the body ended; undefined before. */
  #endNs: number | undefined;
  /** Nothing more is reported. */
  #silent = false;
  /** Resumes with the bytes that have arrived. */
  #wake = (): void => {};

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
    this.#decode();
  }

  onBody(bytes: Uint8Array, start: number, end: number, stampNs: number): void {
    for (let from = start; from < end; from += PIECE_BYTES) {
      // A copy: the decoder reads later, the connection's buffer is reused at once.
      const piece = bytes.slice(from, Math.min(end, from + PIECE_BYTES)) as Bytes;
      this.#pieces.push({ bytes: piece, stampNs });
    }
    this.#wake();
  }

  onEnd(stampNs: number): void {
    this.#endNs = stampNs;
    this.#wake();
  }

  /** No connection fault: a reply has begun. */
  onFailure(kind: TransportErrorKind, message: string, stampNs: number): void {
    if (this.#silent) return;
    this.cancel();
    this.#inner.onFailure(kind, message, stampNs);
  }

  async #decode(): Promise<void> {
    try {
      const decoder = await decoderFor(this.#encoding);
      if (decoder === undefined) {
        this.#fail(`Reply is compressed in a way this program cannot read: ${this.#encoding}`);
        return;
      }
      await this.#pump(decoder);
    } catch {
      this.#fail(`Reply does not decompress as ${this.#encoding}`);
      return;
    }
    if (!this.#silent) this.#inner.onEnd(this.#stampNs);
  }

  async #pump({ readable, writable }: Decoder): Promise<void> {
    const writer = writable.getWriter();
    const reader = readable.getReader();
    let next = reader.read();
    /** Forwards output until another event happens; true if no more output will come. */
    const handOn = async (happened: Promise<unknown>): Promise<boolean> => {
      const end = happened.then(() => undefined);
      for (;;) {
        // Where both are there, what came out goes first.
        const result = await Promise.race([next, end]);
        if (this.#silent || result?.done === true) return true;
        if (result === undefined) return false;
        this.#inner.onBody(result.value, 0, result.value.length, this.#stampNs);
        next = reader.read();
      }
    };
    for (let over = this.#silent; !over;) {
      const piece = this.#pieces.shift();
      if (piece !== undefined) {
        this.#stampNs = piece.stampNs;
        over = await handOn(writer.write(piece.bytes));
      } else if (this.#endNs === undefined) {
        over = await handOn(new Promise<void>((resolve) => this.#wake = resolve));
      } else {
        this.#stampNs = this.#endNs;
        writer.close().catch(() => {});
        over = await handOn(new Promise(() => {}));
      }
    }
    if (this.#silent) reader.cancel().catch(() => {});
  }

  /** Reports nothing more: the request was given up, and its sink may serve another one. */
  cancel(): void {
    this.#silent = true;
    this.#wake();
  }

  #fail(message: string): void {
    this.onFailure("protocol", message, this.#stampNs);
  }
}
