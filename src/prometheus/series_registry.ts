import { DistinctCounter } from "./distinct_counter.ts";
import { ExpositionLimitError } from "./exposition_limit_error.ts";
import { ownCopy } from "./own_copy.ts";
import { MAX_NAME_LENGTH, type SampleLineReader } from "./sample_line.ts";
import { seriesText } from "./series_text.ts";
import type { SampleSeries } from "./text_parser.ts";
import { textKey } from "./text_key.ts";

/** A text that a page is expected to hold again. */
export interface KnownText {
  /** From the start of the line to the end of the labels, or a whole metadata line. */
  readonly text: string;
  /** The series it names; -1 for a metadata line. */
  readonly id: number;
  /** Where it stood in the page that held it last. */
  place: number;
}

/** Limits of a {@linkcode SeriesRegistry}. */
export interface SeriesLimits {
  readonly maxLabels: number;
  readonly maxLabelValueBytes: number;
  readonly maxSeries: number;
}

type Label = readonly [name: string, value: string];

/** Most characters of series texts kept, whatever the number of series. */
const MAX_TEXT_CHARACTERS = 64 * 1024 * 1024;
const encoder = new TextEncoder();

/**
 * The series of an endpoint by their texts.
 *
 * A server may write one series in several ways (labels in another order, blanks); each way is
 * remembered, and all lead to one number. What is kept is bounded: series by a limit, since their
 * numbers must stay, other ways to write them by starting anew.
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
  readonly #dropped = new DistinctCounter();
  /** Names and short values, each once. */
  readonly #texts = new Map<string, string>();
  readonly #labels = new Map<string, Map<string, Label>>();
  readonly #names = new Set<string>();

  constructor(limits: SeriesLimits) {
    this.#limits = limits;
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

  /** What is known of the text between two places. */
  find(text: string, start: number, end: number): KnownText | undefined {
    const key = textKey(text.slice(start, end));
    return this.#canonical.get(key) ?? this.#aliases.get(key);
  }

  /**
   * Remembers the series that a reader has just read between two places.
   * @returns `undefined` if the series is dropped
   * @throws {ExpositionLimitError} if it has too many labels, or too long ones
   */
  add(text: string, start: number, end: number, reader: SampleLineReader): KnownText | undefined {
    const labels = this.#sortedLabels(reader);
    const written = text.slice(start, end);
    const canonicalText = seriesText(reader.name, labels);
    const canonicalKey = textKey(canonicalText);
    const known = this.#canonical.get(canonicalKey);
    if (known !== undefined) return this.#addAlias(written, known.id);
    if (
      this.#series.length >= this.#limits.maxSeries ||
      this.#characters + canonicalText.length > MAX_TEXT_CHARACTERS
    ) {
      this.#dropped.add(canonicalText);
      return undefined;
    }
    const id = this.#series.length;
    const name = this.#intern(reader.name);
    this.#names.add(name);
    this.#series.push({ id, name, labels: labels.map((label) => this.#internLabel(label)) });
    this.#characters += canonicalText.length;
    const entry = { text: canonicalText, id, place: 0 };
    this.#canonical.set(canonicalKey, entry);
    return written === canonicalText ? entry : this.#addAlias(written, id);
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
    return entry;
  }

  #sortedLabels(reader: SampleLineReader): Label[] {
    const { labelNames, labelValues } = reader;
    const count = labelNames.length;
    const { maxLabels, maxLabelValueBytes } = this.#limits;
    if (count > maxLabels) {
      throw new ExpositionLimitError(
        `A sample of ${quote(reader.name)} has ${count} labels, at most ${maxLabels} are read`,
      );
    }
    const labels: Label[] = [];
    let sorted = true;
    for (let index = 0; index < count; index++) {
      const name = labelNames[index] as string;
      const value = labelValues[index] as string;
      if (value.length * 3 > maxLabelValueBytes) this.#checkValue(reader.name, name, value);
      if (index > 0 && name < (labelNames[index - 1] as string)) sorted = false;
      labels.push([name, value]);
    }
    if (!sorted) labels.sort(([a], [b]) => a < b ? -1 : 1);
    return labels;
  }

  #checkValue(metric: string, label: string, value: string): void {
    const limit = this.#limits.maxLabelValueBytes;
    if (value.length <= limit && encoder.encode(value).length <= limit) return;
    throw new ExpositionLimitError(
      `Label ${quote(label)} of ${quote(metric)} has a value longer than ${limit} bytes`,
    );
  }

  #intern(text: string): string {
    if (text.length > MAX_NAME_LENGTH) return ownCopy(text);
    const known = this.#texts.get(text);
    if (known !== undefined) return known;
    const copy = ownCopy(text);
    this.#texts.set(copy, copy);
    return copy;
  }

  #internLabel(label: Label): Label {
    const [name, value] = label;
    let values = this.#labels.get(name);
    if (values === undefined) {
      values = new Map();
      this.#labels.set(this.#intern(name), values);
    }
    const key = textKey(value);
    const known = values.get(key);
    if (known !== undefined) return known;
    const copy: Label = [this.#intern(name), this.#intern(value)];
    values.set(key === value ? copy[1] : key, copy);
    return copy;
  }
}

function quote(name: string): string {
  return JSON.stringify(name.length <= 60 ? name : `${name.slice(0, 60)}...`);
}
