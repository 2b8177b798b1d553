import type { ByteReader } from "../../core/block_file/byte_reader.ts";
import type { FlawTexts } from "./flaw_texts.ts";
import { UUID_BYTES } from "./record_file.ts";
import type { RecordTexts } from "./record_rows.ts";

const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"));

/** The texts of a block of records, each made when it is asked for. */
export class BlockTexts implements RecordTexts {
  readonly #uuids: Uint8Array | undefined;
  readonly #ids: readonly string[];
  readonly #finishReasons: readonly (string | null)[];
  readonly #finishPlaces: readonly number[] | number;
  readonly #errors: ReadonlyMap<number, string>;
  readonly #flaws: ReadonlyMap<number, string>;
  readonly #flawTexts: ReadonlyMap<number, FlawTexts>;

  /** Reads them from their position in a block of `count` records. */
  constructor(block: ByteReader, count: number) {
    const areUuids = block.uint8() !== 0;
    this.#uuids = areUuids ? block.bytes(count * UUID_BYTES) : undefined;
    this.#ids = areUuids ? [] : JSON.parse(block.text());
    const { finishReasons: { names, places }, errors, flaws = [], flawTexts = [] } = JSON.parse(
      block.text(),
    );
    this.#finishReasons = names;
    this.#finishPlaces = places;
    this.#errors = new Map(errors);
    this.#flaws = new Map(flaws);
    this.#flawTexts = new Map(flawTexts);
  }

  requestId(at: number): string {
    const uuids = this.#uuids;
    if (uuids === undefined) return this.#ids[at] as string;
    let id = "";
    for (let i = 0; i < UUID_BYTES; i++) {
      if (i === 4 || i === 6 || i === 8 || i === 10) id += "-";
      id += HEX[uuids[at * UUID_BYTES + i] as number];
    }
    return id;
  }

  finishReason(at: number): string | null {
    const places = this.#finishPlaces;
    return this.#finishReasons[typeof places === "number" ? places : places[at] as number] as
      | string
      | null;
  }

  error(at: number): string | undefined {
    return this.#errors.get(at);
  }

  flaw(at: number): string | undefined {
    return this.#flaws.get(at);
  }

  flawTexts(at: number): FlawTexts | undefined {
    return this.#flawTexts.get(at);
  }
}
