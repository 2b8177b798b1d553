/**
 * Messages over a connection between two processes that share a token. Each message carries an
 * authentication code (HMAC-SHA-256) over its sequence number and its bytes, keyed per connection:
 * the token itself is never sent, and no message can be forged, replayed or left out.
 *
 * A frame is four bytes of length, 32 of the code, and the message: a byte that selects text or
 * bytes, and the content.
 */

import { Buffer } from "node:buffer";
import { createHmac, timingSafeEqual } from "node:crypto";

/** Maximum length in bytes of a message from an unauthenticated peer. */
export const MAX_STRANGER_BYTES = 4096;
/** Bytes of the longest message of all others. */
export const MAX_FRAME_BYTES = 1 << 20;

const CODE_BYTES = 32;
const HEAD_BYTES = 4 + CODE_BYTES;
const READ_BYTES = 64 * 1024;
const TEXT = 0;
const BYTES = 1;

/** Message that violates the protocol: its sender is not a shard of this run. */
export class ChannelError extends Error {
  override readonly name = "ChannelError";
}

/** Methods of a connection that a channel needs. */
export type ByteConnection = Pick<Deno.Conn, "read" | "write" | "close">;

/** Whose messages they are. */
export type Side = "follower" | "leader";

/** A message that came, and when its last byte was read. */
export interface Received {
  /** undefined if it is bytes. */
  readonly text: string | undefined;
  readonly bytes: Uint8Array;
  readonly atMs: number;
}

/** See the module's comment. */
export class Channel {
  readonly #connection: ByteConnection;
  readonly #side: Side;
  readonly #nowMs: () => number;
  #key: Uint8Array | undefined;
  #sent = 0;
  #received = 0;
  #unread = new Uint8Array(0);
  #readMs = 0;
  #writes: Promise<void> = Promise.resolve();
  #isClosed = false;

  /** @param nowMs the clock for the timestamps of messages */
  constructor(connection: ByteConnection, side: Side, nowMs: () => number) {
    this.#connection = connection;
    this.#side = side;
    this.#nowMs = nowMs;
  }

  /** Messages after this one are proved by a key. */
  prove(key: Uint8Array): void {
    this.#key = key;
  }

  /**
   * Sends a message after all messages queued earlier.
   * @throws the error that ends the connection
   */
  send(message: object | Uint8Array): Promise<void> {
    const frame = this.#frame(message);
    const write = this.#writes.then(async () => {
      for (let done = 0; done < frame.length;) {
        done += await this.#connection.write(frame.subarray(done));
      }
    });
    // Who sends next is told by its own promise.
    this.#writes = write.catch(() => {});
    return write;
  }

  #frame(message: object | Uint8Array): Uint8Array {
    const isBytes = message instanceof Uint8Array;
    const body = isBytes ? message : new TextEncoder().encode(JSON.stringify(message));
    const frame = new Uint8Array(HEAD_BYTES + 1 + body.length);
    frame[HEAD_BYTES] = isBytes ? BYTES : TEXT;
    frame.set(body, HEAD_BYTES + 1);
    new DataView(frame.buffer).setUint32(0, 1 + body.length);
    const code = this.#code(this.#side, this.#sent++, frame.subarray(HEAD_BYTES));
    if (code !== undefined) frame.set(code, 4);
    return frame;
  }

  /**
   * The next message; undefined at the orderly end of the connection.
   * @param maxBytes longest message that is taken
   * @throws {ChannelError} if it is too long, or not what the other side of this channel sent
   */
  async receive(maxBytes: number): Promise<Received | undefined> {
    const received = await this.receiveUnproved(maxBytes);
    if (received !== undefined && !received.isProved()) {
      throw new ChannelError("the message is not proved by the token");
    }
    return received;
  }

  /** Receives like {@linkcode receive} a message whose content names the key that proves it. */
  async receiveUnproved(
    maxBytes: number,
  ): Promise<Received & { isProved(): boolean } | undefined> {
    if (!await this.#fill(HEAD_BYTES)) return undefined;
    const length = new DataView(this.#unread.buffer, this.#unread.byteOffset).getUint32(0);
    if (length < 1 || length > maxBytes) {
      throw new ChannelError(`a message of ${length} bytes`);
    }
    if (!await this.#fill(HEAD_BYTES + length)) {
      throw new ChannelError("the connection ended within a message");
    }
    const code = this.#unread.slice(4, HEAD_BYTES);
    const message = this.#unread.slice(HEAD_BYTES, HEAD_BYTES + length);
    this.#unread = this.#unread.subarray(HEAD_BYTES + length);
    const place = this.#received++;
    const bytes = message.subarray(1);
    const other: Side = this.#side === "follower" ? "leader" : "follower";
    return {
      text: message[0] === TEXT ? new TextDecoder().decode(bytes) : undefined,
      bytes,
      atMs: this.#readMs,
      isProved: () => {
        const expected = this.#code(other, place, message);
        return expected === undefined || timingSafeEqual(expected, code);
      },
    };
  }

  /**
   * Reads until the given number of bytes has arrived; false if the connection ended before the
   * first one.
   */
  async #fill(length: number): Promise<boolean> {
    while (this.#unread.length < length) {
      const piece = new Uint8Array(READ_BYTES);
      const read = await this.#connection.read(piece);
      this.#readMs = this.#nowMs();
      if (read === null) {
        if (this.#unread.length === 0) return false;
        throw new ChannelError("the connection ended within a message");
      }
      this.#unread = this.#unread.length === 0
        ? piece.subarray(0, read)
        : Buffer.concat([this.#unread, piece.subarray(0, read)]);
    }
    return true;
  }

  #code(side: Side, place: number, message: Uint8Array): Uint8Array | undefined {
    if (this.#key === undefined) return undefined;
    return createHmac("sha256", this.#key).update(`${side} ${place} `).update(message).digest();
  }

  /** Ends the connection. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    try {
      this.#connection.close();
    } catch {
      // The other side was faster.
    }
  }
}

/** The key of a connection, from the token and what both sides made up for it. */
export function connectionKey(token: string, hostNonce: string, guestNonce: string): Uint8Array {
  return createHmac("sha256", token)
    .update(`inferometer rendezvous 1 ${hostNonce} ${guestNonce}`).digest();
}

/** Returns random bytes that were never sent before. */
export function newNonce(): string {
  return Buffer.from(crypto.getRandomValues(new Uint8Array(24))).toString("hex");
}
