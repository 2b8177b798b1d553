/** Texts of entries in memory that threads share; equal texts are stored once. */
export interface SharedTexts {
  /** UTF-8 of all texts, one after another. */
  readonly bytes: Uint8Array<SharedArrayBuffer>;
  /** Start of each text; the next start is its end. */
  readonly starts: Int32Array<SharedArrayBuffer>;
  /** Number of the text of each entry; -1 for none. */
  readonly places: Int32Array<SharedArrayBuffer>;
}

const NONE = -1;
const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** Returns the text of an entry; undefined for none. */
export function textOf(texts: SharedTexts | undefined, entry: number): string | undefined {
  const place = texts?.places[entry] ?? NONE;
  if (texts === undefined || place === NONE) return undefined;
  // A decoder takes no shared memory.
  return decoder.decode(texts.bytes.slice(texts.starts[place], texts.starts[place + 1]));
}

/** Whether any of the texts has a property. */
export function someText(
  { bytes, starts }: SharedTexts,
  hasProperty: (text: string) => boolean,
): boolean {
  return Array.from(starts.subarray(1)).some((end, number) =>
    hasProperty(decoder.decode(bytes.slice(starts[number], end)))
  );
}

/** Returns texts of no entry, by which a table says that its pages have some. */
export function withoutTexts(texts: SharedTexts): SharedTexts {
  return { ...texts, places: new Int32Array(new SharedArrayBuffer(0)) };
}

/** Gathers texts of entries. */
export class SharedTextsBuilder {
  readonly #numbers = new Map<string, number>();
  readonly #places: number[] = [];

  /** Sets the text of an entry. */
  set(entry: number, text: string): void {
    let number = this.#numbers.get(text);
    if (number === undefined) this.#numbers.set(text, number = this.#numbers.size);
    this.#places[entry] = number;
  }

  /** Returns the texts; undefined if no entry has one. */
  finish(entries: number): SharedTexts | undefined {
    if (this.#numbers.size === 0) return undefined;
    const encoded = [...this.#numbers.keys()].map((text) => encoder.encode(text));
    const length = encoded.reduce((sum, text) => sum + text.length, 0);
    const bytes = new Uint8Array(new SharedArrayBuffer(length));
    const starts = new Int32Array(new SharedArrayBuffer((encoded.length + 1) * 4));
    let offset = 0;
    encoded.forEach((text, number) => {
      bytes.set(text, offset);
      offset += text.length;
      starts[number + 1] = offset;
    });
    const places = new Int32Array(new SharedArrayBuffer(entries * 4)).fill(NONE);
    this.#places.forEach((number, entry) => places[entry] = number);
    return { bytes, starts, places };
  }
}
