const decoder = new TextDecoder();

/**
 * Reads what a `ByteWriter` wrote.
 *
 * All methods throw a `RangeError` where the bytes end before what is asked for.
 */
export class ByteReader {
  readonly #bytes: Uint8Array<ArrayBuffer>;
  readonly #view: DataView;
  #offset = 0;

  constructor(bytes: Uint8Array<ArrayBuffer>) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  }

  /** Bytes that are left. */
  get left(): number {
    return this.#bytes.length - this.#offset;
  }

  uint8(): number {
    return this.#view.getUint8(this.#offset++);
  }

  uint32(): number {
    const value = this.#view.getUint32(this.#offset, true);
    this.#offset += 4;
    return value;
  }

  float64(): number {
    const value = this.#view.getFloat64(this.#offset, true);
    this.#offset += 8;
    return value;
  }

  varint(): number {
    let value = 0;
    for (let factor = 1;; factor *= 128) {
      const byte = this.uint8();
      value += byte % 128 * factor;
      if (byte < 128) return value;
    }
  }

  /** A copy of the next bytes, aligned for any typed array. */
  bytes(length: number): Uint8Array<ArrayBuffer> {
    if (!(length <= this.left)) throw new RangeError("The bytes end before what they announce");
    const bytes = this.#bytes.slice(this.#offset, this.#offset + length);
    this.#offset += length;
    return bytes;
  }

  /** The next bytes at the beginning of an array of the caller's, which has room for them. */
  bytesInto(into: Uint8Array, length: number): void {
    if (!(length <= this.left)) throw new RangeError("The bytes end before what they announce");
    into.set(this.#bytes.subarray(this.#offset, this.#offset + length));
    this.#offset += length;
  }

  /** Skips the next bytes. */
  skip(length: number): void {
    if (!(length <= this.left)) throw new RangeError("The bytes end before what they announce");
    this.#offset += length;
  }

  text(): string {
    return decoder.decode(this.bytes(this.varint()));
  }
}
