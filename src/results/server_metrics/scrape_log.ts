/**
 * Results of scraping on disk: `run/server_metrics.bin`. A block is a message of the scrape worker,
 * as the results worker takes it in; taken in again in their order, they give the same series.
 *
 * Of a page whose samples are those of the page before only the changes are kept: one or two bytes
 * for where, and one to three for a counter that grew, eight for other values.
 */

import {
  blockFileHead,
  BlockFileReader,
  blockPieces,
  type ByteSource,
} from "../../core/block_file/block_file.ts";
import { ByteReader } from "../../core/block_file/byte_reader.ts";
import { ByteWriter } from "../../core/block_file/byte_writer.ts";
import { readNumbers, writeNumbers } from "../../core/block_file/number_column.ts";
import type { SampleSeries } from "../../telemetry/prometheus/exposition.ts";
import type { ScrapedPage } from "../../telemetry/prometheus/scraped_page.ts";
import type { ScrapeMessage } from "../../telemetry/scrape/messages.ts";

const FORMAT = "inferometer-server-metrics";
const VERSION = 3;

const PAGE = 0;
const OTHER = 1;

const DUPLICATE = 1;
const WHOLE = 2;
const NEW_SERIES = 4;
const METADATA = 8;
const OTHER_IDS = 16;

/** A value is a whole step from the one before, or stands as it is. */
const STEP = 0;
const RAW = 1;
const MAX_STEP = 2 ** 48;

type PageMessage = Extract<ScrapeMessage, { type: "page" }>;
type OtherMessage = Exclude<ScrapeMessage, { type: "page" }>;

/** The samples of an endpoint's last page. */
interface LastPage {
  ids: Int32Array;
  values: Float64Array;
}

/** Makes blocks of messages. */
export class ScrapeLogWriter {
  readonly #redact: (text: string) => string;
  readonly #last = new Map<number, LastPage>();
  readonly #block = new ByteWriter();

  /** @param redact takes secrets out of what a page says */
  constructor(redact: (text: string) => string) {
    this.#redact = redact;
  }

  /**
   * The beginning of the file.
   * @param run ID of the run
   */
  static head(run?: string): Uint8Array<ArrayBuffer> {
    return blockFileHead({ format: FORMAT, version: VERSION, run });
  }

  /** A message as the pieces of a block; valid until the next one. */
  block(message: ScrapeMessage): Uint8Array<ArrayBuffer>[] {
    const block = this.#block;
    block.clear();
    if (message.type === "page") {
      block.uint8(PAGE);
      this.#writePage(message);
    } else {
      block.uint8(OTHER);
      block.text(this.#redact(JSON.stringify(plain(message))));
    }
    return blockPieces(block.written);
  }

  #writePage({ endpoint, page, droppedSeries }: PageMessage): void {
    const block = this.#block;
    const last = this.#last.get(endpoint);
    const hasOtherIds = !page.duplicate && (last === undefined || !areEqual(page.ids, last.ids));
    block.varint(endpoint);
    block.uint8(
      (page.duplicate ? DUPLICATE : 0) | (page.isWhole ? WHOLE : 0) |
        (page.newSeries.length > 0 ? NEW_SERIES : 0) |
        (page.metadata !== undefined ? METADATA : 0) | (hasOtherIds ? OTHER_IDS : 0),
    );
    block.float64(page.sentNs);
    block.float64(page.firstByteNs);
    block.float64(page.latencyNs);
    block.varint(droppedSeries);
    block.varint(page.problemCount);
    if (page.newSeries.length > 0) block.text(this.#redact(JSON.stringify(page.newSeries)));
    if (page.metadata !== undefined) block.text(this.#redact(JSON.stringify(page.metadata)));
    if (page.duplicate) return;
    if (hasOtherIds) {
      block.varint(page.ids.length);
      writeNumbers(block, Float64Array.from(page.ids));
      writeNumbers(block, page.values);
      this.#last.set(endpoint, { ids: page.ids.slice(), values: page.values.slice() });
    } else writeChanges(block, (last as LastPage).values, page.values);
  }
}

/** Reads the messages of a log in their order. */
export class ScrapeLogReader {
  readonly #file: BlockFileReader;
  readonly #last = new Map<number, LastPage>();

  /** @throws {BlockFileError} if it is no such log, or one of a newer version */
  constructor(source: ByteSource) {
    this.#file = new BlockFileReader(source, FORMAT, VERSION);
  }

  /** ID of the run that wrote the file; undefined in files of earlier versions. */
  get run(): string | undefined {
    return this.#file.head.run;
  }

  /**
   * Whether messages are missing, as one was damaged or its writer ended in the middle of it; known
   * when all were read.
   */
  get lacksMessages(): boolean {
    return this.#file.lacksBlocks;
  }

  /** The messages up to the first one that is damaged: those behind it refer to it. */
  *messages(): Generator<ScrapeMessage> {
    for (const bytes of this.#file.blocks()) {
      if (this.#file.lacksBlocks) return;
      const block = new ByteReader(bytes);
      yield block.uint8() === PAGE ? this.#readPage(block) : whole(JSON.parse(block.text()));
    }
  }

  #readPage(block: ByteReader): PageMessage {
    const endpoint = block.varint();
    const flags = block.uint8();
    const times = {
      sentNs: block.float64(),
      firstByteNs: block.float64(),
      latencyNs: block.float64(),
    };
    const droppedSeries = block.varint();
    const problemCount = block.varint();
    const newSeries = flags & NEW_SERIES ? seriesOf(JSON.parse(block.text())) : [];
    const metadata = flags & METADATA ? JSON.parse(block.text()) : undefined;
    const duplicate = (flags & DUPLICATE) !== 0;
    const { ids, values } = duplicate ? NOTHING : this.#readSamples(block, endpoint, flags);
    const page: ScrapedPage = {
      ...times,
      duplicate,
      isWhole: (flags & WHOLE) !== 0,
      newSeries,
      metadata,
      ids,
      values,
      problemCount,
    };
    return { type: "page", endpoint, page, text: undefined, contentType: "", droppedSeries };
  }

  #readSamples(block: ByteReader, endpoint: number, flags: number): LastPage {
    if (flags & OTHER_IDS) {
      const count = block.varint();
      const ids = Int32Array.from(readNumbers(block, count));
      this.#last.set(endpoint, { ids, values: readNumbers(block, count) });
    }
    const last = this.#last.get(endpoint);
    if (last === undefined) throw new RangeError("A scrape refers to a missing scrape");
    if (!(flags & OTHER_IDS)) readChanges(block, last.values);
    return { ids: last.ids, values: last.values.slice() };
  }
}

const NOTHING: LastPage = { ids: new Int32Array(0), values: new Float64Array(0) };

/** Writes which values changed, and makes `last` equal to `values`. */
function writeChanges(block: ByteWriter, last: Float64Array, values: Float64Array): void {
  let before = -1;
  for (let position = 0; position < values.length; position++) {
    const held = last[position] as number;
    const value = values[position] as number;
    if (Object.is(held, value)) continue;
    const step = value - held;
    const isStep = Number.isInteger(step) && Math.abs(step) < MAX_STEP &&
      Object.is(held + step, value);
    block.varint((position - before) * 2 + (isStep ? STEP : RAW));
    if (isStep) block.varint(step >= 0 ? step * 2 : -step * 2 - 1);
    else block.float64(value);
    last[position] = value;
    before = position;
  }
  block.varint(0);
}

function readChanges(block: ByteReader, values: Float64Array): void {
  for (let position = -1;;) {
    const entry = block.varint();
    if (entry === 0) return;
    position += Math.floor(entry / 2);
    if (entry % 2 === RAW) values[position] = block.float64();
    else {
      const zigzag = block.varint();
      const step = zigzag % 2 === 0 ? zigzag / 2 : -(zigzag + 1) / 2;
      values[position] = (values[position] as number) + step;
    }
  }
}

/** Series as they were written; JSON of a damaged file may still be JSON. */
function seriesOf(found: readonly Partial<SampleSeries>[]): readonly SampleSeries[] {
  const isText = (value: unknown): boolean => typeof value === "string";
  const areWhole = found.every(({ name, labels }) =>
    isText(name) && Array.isArray(labels) && labels.every((label) => label.every(isText))
  );
  if (!areWhole) throw new RangeError("A page has a series without its name or labels");
  return found as readonly SampleSeries[];
}

function areEqual(a: Int32Array, b: Int32Array): boolean {
  return a.length === b.length && a.every((id, at) => id === b[at]);
}

/** A message without typed arrays. */
function plain(message: OtherMessage): unknown {
  return message.type === "end" ? { ...message, latenessMs: [...message.latenessMs] } : message;
}

function whole(message: OtherMessage): OtherMessage {
  return message.type === "end"
    ? { ...message, latenessMs: Float64Array.from(message.latenessMs) }
    : message;
}
