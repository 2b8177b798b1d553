/** Columns of a row group while it is gathered: numbers row by row, and texts that repeat. */

import { Buffer } from "node:buffer";
import type { SchemaElement } from "npm:hyparquet@1.31.5";
import { ByteWriter } from "npm:hyparquet-writer@0.17.0";
import { writePlain } from "npm:hyparquet-writer@0.17.0/src/plain.js";
import type { ColumnContent, DictionaryValues, PlainValues } from "./parquet_chunk.ts";

/**
 * Number of values that are sampled before a dictionary is built, and maximum number of distinct
 * ones.
 */
const SAMPLE = 1000;
const MAX_SAMPLE_DISTINCT = 900;

const encoder = new TextEncoder();

/** Texts, most of which hold for many rows in a row; rows left out have none. */
export class TextColumn {
  readonly element: SchemaElement;
  readonly #indexes = new Map<string, number>();
  /** First row, end, and the text's index of each run of rows. */
  #runs: number[] = [];
  #end = 0;

  constructor(name: string, repetition: "REQUIRED" | "OPTIONAL") {
    this.element = {
      name,
      type: "BYTE_ARRAY",
      converted_type: "UTF8",
      logical_type: { type: "STRING" },
      repetition_type: repetition,
    };
  }

  /** Sets the text of rows after those that have one; the text of others stays what it is. */
  set(start: number, end: number, text: string): void {
    if (start < this.#end) return;
    let index = this.#indexes.get(text);
    if (index === undefined) this.#indexes.set(text, index = this.#indexes.size);
    this.#runs.push(start, end, index);
    this.#end = end;
  }

  /** Returns the column with the given number of rows and empties it. */
  take(rows: number): ColumnContent {
    const present = new Uint8Array(rows);
    const indexes = new Int32Array(rows);
    let count = 0;
    const runs = this.#runs;
    for (let run = 0; run < runs.length; run += 3) {
      for (let row = runs[run] as number; row < (runs[run + 1] as number); row++) {
        present[row] = 1;
        indexes[count++] = runs[run + 2] as number;
      }
    }
    const texts = [...this.#indexes.keys()].map((text) => encoder.encode(text));
    const plain = new ByteWriter();
    writePlain(plain, texts, "BYTE_ARRAY", undefined);
    const entries = { count: texts.length, bytes: plain.getBytes() };
    this.#indexes.clear();
    this.#runs = [];
    this.#end = 0;
    return {
      element: this.element,
      rows,
      present,
      values: count === 0 ? entries : { entries, indexes: indexes.subarray(0, count) },
      range: count === 0 ? undefined : [
        texts.reduce((least, text) => Buffer.compare(text, least) < 0 ? text : least),
        texts.reduce((most, text) => Buffer.compare(text, most) > 0 ? text : most),
      ],
    };
  }
}

/** Numbers as they are stored in a file. */
type StoredNumbers = Float64Array | BigInt64Array;

/** A number for each row; rows left out have none. */
export class NumberColumn {
  readonly element: SchemaElement;
  readonly #stored: (values: Float64Array) => StoredNumbers;
  #values = new Float64Array(1024);
  #end = 0;

  /** @param stored numbers of the column as the file has them, in the same order of size */
  constructor(element: SchemaElement, stored: (values: Float64Array) => StoredNumbers) {
    this.element = element;
    this.#stored = stored;
  }

  /** Sets numbers starting at a row, NaN for none; the rows follow all rows set earlier. */
  set(start: number, values: Float64Array): void {
    const end = start + values.length;
    if (end > this.#values.length) {
      const larger = new Float64Array(Math.max(end, this.#values.length * 2));
      larger.set(this.#values);
      this.#values = larger;
    }
    this.#values.fill(NaN, this.#end, start);
    this.#values.set(values, start);
    this.#end = end;
  }

  /** Returns the column with the given number of rows and empties it. */
  take(rows: number): ColumnContent {
    const present = new Uint8Array(rows);
    const values = new Float64Array(this.#end);
    let count = 0;
    let min = Infinity;
    let max = -Infinity;
    for (let row = 0; row < this.#end; row++) {
      const value = this.#values[row] as number;
      if (Number.isNaN(value)) continue;
      present[row] = 1;
      values[count++] = value;
      if (value < min) min = value;
      if (value > max) max = value;
    }
    this.#end = 0;
    const some = values.subarray(0, count);
    return {
      element: this.element,
      rows,
      present,
      values: this.#dictionaryOf(some) ?? this.#plain(some),
      // Readers take a least zero for a negative one, and a greatest zero for a positive one.
      range: count === 0 ? undefined : [
        this.#stored(Float64Array.of(min === 0 ? -0 : min))[0] as number | bigint,
        this.#stored(Float64Array.of(max === 0 ? 0 : max))[0] as number | bigint,
      ],
    };
  }

  #plain(values: Float64Array): PlainValues {
    const { buffer, byteOffset, byteLength } = this.#stored(values);
    return { count: values.length, bytes: new Uint8Array(buffer, byteOffset, byteLength) };
  }

  /** undefined if it would not take half of the room that the values take. */
  #dictionaryOf(values: Float64Array): DictionaryValues | undefined {
    if (!repeat(values)) return undefined;
    const numbers = new Map<number, number>();
    const indexes = new Int32Array(values.length);
    let last = NaN;
    let index = 0;
    for (let at = 0; at < values.length; at++) {
      const value = values[at] as number;
      // A map takes it for the positive zero.
      if (Object.is(value, -0)) return undefined;
      if (value !== last) {
        const known = numbers.get(value);
        index = known ?? numbers.size;
        if (known === undefined) numbers.set(value, index);
        last = value;
      }
      indexes[at] = index;
    }
    const bits = numbers.size * 64 + values.length * Math.ceil(Math.log2(numbers.size));
    if (bits * 2 > values.length * 64) return undefined;
    return { entries: this.#plain(Float64Array.from(numbers.keys())), indexes };
  }
}

/** Returns whether values repeat often enough for a dictionary to be worthwhile. */
function repeat(values: Float64Array): boolean {
  const step = Math.max(1, values.length / SAMPLE);
  const seen = new Set<number>();
  let looked = 0;
  for (let at = 0; at < values.length; at += step) {
    seen.add(values[Math.floor(at)] as number);
    looked++;
  }
  return looked > 0 && seen.size * SAMPLE <= looked * MAX_SAMPLE_DISTINCT;
}
