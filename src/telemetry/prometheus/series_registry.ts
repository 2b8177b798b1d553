import { DOUBLE_QUOTE, isPlainLabelName, isPlainMetricName } from "./characters.ts";
import { DistinctCounter } from "./distinct_counter.ts";
import { ExpositionLimitError } from "./exposition_limit_error.ts";
import { ownCopy } from "./own_copy.ts";
import { MAX_NAME_LENGTH, type SampleLineReader } from "./sample_line.ts";
import { quoted } from "./quoted.ts";
import { labelText, seriesText } from "./series_text.ts";
import type { SampleSeries } from "./exposition.ts";
import { sortLabels } from "./sort_labels.ts";
import { TextBits } from "./text_bits.ts";
import { textKey } from "./text_key.ts";

/** A text that a page is expected to hold again. */
export interface KnownText {
  /** From the start of the line to the end of the labels, or a whole metadata line. */
  readonly text: string;
  /** The series it names; -1 for a metadata line. */
  readonly id: number;
  /** Position in the last page that contained the series. */
  place: number;
}

/** Limits of a {@linkcode SeriesRegistry}. */
export interface SeriesLimits {
  readonly maxLabels: number;
  readonly maxLabelValueBytes: number;
  readonly maxSeries: number;
  /**
   * Whether series of a name are kept before others where pages have more than `maxSeries`: a part
   * of the limit is left to such names, because they may come later than others.
   */
  readonly isPreferred?: ((name: string) => boolean) | undefined;
}

type Label = readonly [name: string, value: string];

/** Most characters of series texts kept, whatever the number of series. */
const MAX_TEXT_CHARACTERS = 64 * 1024 * 1024;
/** Most labels and names kept so that series share them; beyond, sharing starts again. */
const MAX_LABELS = 2048;
/** Most texts of labels kept to be looked up whole. */
const MAX_LABEL_SETS = 2048;
/** Share of the limit that only series with preferred names may use. */
const PREFERRED_SHARE = 0.1;
const encoder = new TextEncoder();

/**
 * The series of an endpoint by their texts.
 *
 * A server may write one series in several ways (labels in another order, extra spaces); each way
 * is remembered, and all lead to one number. What is kept is bounded: series by a limit, since
 * their numbers must stay, other ways to write them by starting again.
 */
export class SeriesRegistry {
  readonly #limits: SeriesLimits;
  readonly #series: SampleSeries[] = [];
  /** By the text in canonical form. */
  readonly #canonical = new Map<string, KnownText>();
  #characters = 0;
  /** By other texts. */
  #aliases = new Map<string, KnownText>();
  #aliasCharacters = 0;
  /** Series left for preferred names of the page that is read. */
  #reserved = 0;
  /** Series left for preferred names of later pages. */
  #reservedLater: number;
  readonly #dropped = new DistinctCounter();
  /**
   * All known texts, kept once series are dropped. Looking up a text in a map makes the engine keep
   * a copy until a full garbage collection, which adds up while new series keep coming.
   */
  #filter: TextBits | undefined;
  /** Labels by their text without the closing quote, so that each is kept once. */
  #labels = new Map<string, Label>();
  /** Labels of series by their text, since metrics of one server share them. */
  #labelSets = new Map<string, readonly Label[]>();
  /** Metric and label names, each once. */
  #texts = new Map<string, string>();
  /** Metric names that were written without quotes, outside braces. */
  readonly #plainNames = new Map<string, string>();
  /** Names that samples have had. */
  readonly #names = new Set<string>();

  constructor(limits: SeriesLimits) {
    this.#limits = limits;
    const { isPreferred, maxSeries } = limits;
    this.#reservedLater = isPreferred === undefined ? 0 : Math.floor(maxSeries * PREFERRED_SHARE);
  }

  /** All series by their number. */
  get series(): readonly SampleSeries[] {
    return this.#series;
  }

  /** Names that samples have had. */
  get names(): ReadonlySet<string> {
    return this.#names;
  }

  /** About how many series were dropped. */
  get droppedSeries(): number {
    return this.#dropped.count;
  }

  /** Reserves space for `count` new series with preferred names, until it is called again. */
  reserve(count: number): void {
    this.#reserved = count;
  }

  /** The known series of the text between two places. */
  find(text: string, start: number, end: number): KnownText | undefined {
    if (this.#filter?.mayHold(text, start, end) === false) return undefined;
    const key = textKey(text.slice(start, end));
    return this.#canonical.get(key) ?? this.#aliases.get(key);
  }

  /**
   * Remembers a series written without spaces and escapes, as most servers do.
   *
   * Its labels are looked up as one text, else cut at `",` and looked up one by one: only new
   * labels and names are read by the character. This halves the time that the first page takes.
   * @param brace where the opening brace of the labels is
   * @param close where the first closing brace behind it is
   * @returns `undefined` if the series is written in another way, `null` if it is dropped
   * @throws {ExpositionLimitError} if a label is too long
   */
  addPlain(
    text: string,
    start: number,
    brace: number,
    close: number,
  ): KnownText | null | undefined {
    if (close - start > MAX_NAME_LENGTH || text.charCodeAt(close - 1) !== DOUBLE_QUOTE) {
      return undefined;
    }
    const name = text.slice(start, brace);
    let ownName = this.#plainNames.get(name);
    if (ownName === undefined && !isPlainMetricName(name)) return undefined;
    const written = text.slice(start, close + 1);
    const labelsText = text.slice(brace + 1, close - 1);
    if (this.#isFull(written.length, name)) {
      if (!this.#arePlainLabels(name, labelsText)) return undefined;
      const known = this.find(written, 0, written.length);
      if (known === undefined) this.#dropped.add(written);
      return known ?? null;
    }
    const labels = this.#labelSets.get(labelsText) ?? this.#splitLabels(name, labelsText);
    if (labels === undefined) return undefined;
    const known = this.#canonical.get(written);
    if (known !== undefined) return known;
    if (ownName === undefined) {
      ownName = this.#nameOfSample(name);
      this.#plainNames.set(ownName, ownName);
    }
    return this.#addSeries(ownCopy(written), ownName, labels);
  }

  /** Cuts plain labels at `",`; `undefined` if any is written in another way, or out of order. */
  #splitLabels(metric: string, text: string): readonly Label[] | undefined {
    const parts = text.split('",');
    if (parts.length > this.#limits.maxLabels) return undefined;
    const labels: Label[] = [];
    let before = "";
    for (const part of parts) {
      const label = this.#labels.get(part) ?? this.#plainLabel(metric, part);
      // Names that are not in order may be repeated; the reader sees that.
      if (label === undefined || label[0] <= before) return undefined;
      before = label[0];
      labels.push(label);
    }
    // An array that grew has room for more; this one is kept.
    const kept = labels.slice();
    if (this.#labelSets.size >= MAX_LABEL_SETS) this.#labelSets = new Map();
    this.#labelSets.set(ownCopy(text), kept);
    return kept;
  }

  /**
   * Whether labels are written plainly and in order. The function allocates no objects: the engine
   * would treat objects allocated next to long-lived ones as long-lived.
   */
  #arePlainLabels(metric: string, text: string): boolean {
    const parts = text.split('",');
    if (parts.length > this.#limits.maxLabels) return false;
    let before = "";
    for (const part of parts) {
      const nameEnd = plainLabelNameEnd(part);
      const name = part.slice(0, nameEnd);
      if (nameEnd < 0 || name <= before) return false;
      this.#checkValue(metric, name, part.slice(nameEnd + 2));
      before = name;
    }
    return true;
  }

  /** The label that a part between two `",` stands for, `undefined` if it is not a plain one. */
  #plainLabel(metric: string, part: string): Label | undefined {
    const nameEnd = plainLabelNameEnd(part);
    if (nameEnd < 0) return undefined;
    const name = part.slice(0, nameEnd);
    const value = part.slice(nameEnd + 2);
    this.#checkValue(metric, name, value);
    return this.#internLabel(name, value);
  }

  /**
   * Remembers the series that a reader has just read between two places.
   * @returns `undefined` if the series is dropped
   * @throws {ExpositionLimitError} if it has too many labels, or too long ones
   */
  add(text: string, start: number, end: number, reader: SampleLineReader): KnownText | undefined {
    this.#checkLabels(reader);
    const { labelNames, labelValues } = reader;
    sortLabels(labelNames, labelValues);
    const canonical = seriesText(reader.name, labelNames, labelValues);
    const isFull = this.#isFull(canonical.length, reader.name);
    let known = this.find(canonical, 0, canonical.length);
    if (known === undefined) {
      if (isFull) {
        this.#dropped.add(canonical);
        return undefined;
      }
      const labels = labelNames.map((name, index) =>
        this.#internLabel(name, labelValues[index] as string)
      );
      known = this.#addSeries(canonical, this.#nameOfSample(reader.name), labels);
    }
    const written = text.slice(start, end);
    return written === canonical ? known : this.#addAlias(written, known.id);
  }

  /** Whether a series of this name, with a text of this length, has to be dropped. */
  #isFull(length: number, name: string): boolean {
    const { isPreferred, maxSeries } = this.#limits;
    const left = Math.max(this.#reserved, this.#reservedLater);
    const reserved = left === 0 || isPreferred?.(name) === true ? 0 : left;
    const isFull = this.#series.length + reserved >= maxSeries ||
      this.#characters + length > MAX_TEXT_CHARACTERS;
    if (isFull && this.#filter === undefined) this.#filter = this.#makeFilter();
    return isFull;
  }

  #makeFilter(): TextBits {
    const filter = new TextBits();
    for (const { text } of this.#canonical.values()) filter.add(text);
    for (const { text } of this.#aliases.values()) filter.add(text);
    return filter;
  }

  #addSeries(canonical: string, name: string, labels: readonly Label[]): KnownText {
    const id = this.#series.length;
    this.#characters += canonical.length;
    this.#series.push({ id, name, labels });
    if (
      Math.max(this.#reserved, this.#reservedLater) > 0 && this.#limits.isPreferred?.(name) === true
    ) {
      this.#reserved = Math.max(0, this.#reserved - 1);
      this.#reservedLater = Math.max(0, this.#reservedLater - 1);
    }
    const entry = { text: canonical, id, place: 0 };
    this.#canonical.set(textKey(canonical), entry);
    this.#filter?.add(canonical);
    return entry;
  }

  #nameOfSample(name: string): string {
    const own = this.#intern(name);
    this.#names.add(own);
    return own;
  }

  #addAlias(written: string, id: number): KnownText {
    this.#aliasCharacters += written.length;
    if (
      this.#aliases.size >= this.#limits.maxSeries || this.#aliasCharacters > MAX_TEXT_CHARACTERS
    ) {
      this.#aliases = new Map();
      this.#aliasCharacters = written.length;
    }
    const entry = { text: ownCopy(written), id, place: 0 };
    this.#aliases.set(textKey(entry.text), entry);
    this.#filter?.add(entry.text);
    return entry;
  }

  #checkLabels({ name, labelNames, labelValues }: SampleLineReader): void {
    const { maxLabels } = this.#limits;
    if (labelNames.length > maxLabels) {
      throw new ExpositionLimitError(
        `A sample of ${
          quoted(name)
        } has ${labelNames.length} labels, at most ${maxLabels} are read`,
      );
    }
    for (let index = 0; index < labelNames.length; index++) {
      this.#checkValue(name, labelNames[index] as string, labelValues[index] as string);
    }
  }

  #checkValue(metric: string, label: string, value: string): void {
    const limit = this.#limits.maxLabelValueBytes;
    if (value.length * 3 <= limit) return;
    if (value.length <= limit && encoder.encode(value).length <= limit) return;
    throw new ExpositionLimitError(
      `Label ${quoted(label)} of ${quoted(metric)} has a value longer than ${limit} bytes`,
    );
  }

  #intern(text: string): string {
    if (text.length > MAX_NAME_LENGTH) return ownCopy(text);
    const known = this.#texts.get(text);
    if (known !== undefined) return known;
    if (this.#texts.size >= MAX_LABELS) this.#texts = new Map();
    const copy = ownCopy(text);
    this.#texts.set(copy, copy);
    return copy;
  }

  #internLabel(name: string, value: string): Label {
    const key = textKey(labelText(name, value));
    const known = this.#labels.get(key);
    if (known !== undefined) return known;
    if (this.#labels.size >= MAX_LABELS) this.#labels = new Map();
    const own: Label = [this.#intern(name), ownCopy(value)];
    this.#labels.set(key, own);
    return own;
  }
}

/** End of the name in a label without its closing quote, -1 if it is not written plainly. */
function plainLabelNameEnd(part: string): number {
  const nameEnd = part.indexOf('="');
  if (nameEnd < 0 || part.includes('"', nameEnd + 2) || part.includes("\\")) return -1;
  const name = part.slice(0, nameEnd);
  return isPlainLabelName(name) && name !== "__name__" ? nameEnd : -1;
}
