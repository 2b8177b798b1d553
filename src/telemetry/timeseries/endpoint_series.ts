/**
 * Everything that one metrics endpoint has said: the times of its scrapes and a column of values
 * for each of its series.
 */

import type { ScrapedPage } from "../prometheus/scraped_page.ts";
import { type SampleRole, sampleRole } from "../prometheus/sample_role.ts";
import type { FamilyMetadata } from "../prometheus/exposition.ts";
import { textKey } from "../prometheus/text_key.ts";
import type { SampleSeries } from "../prometheus/exposition.ts";
import { FloatColumn } from "../../core/statistics/float_column.ts";
import { continuedSeries } from "./continued_series.ts";
import { CREATED_NAME, keptIdentity, UPTIME_NAME } from "./kept_identity.ts";
import { HistogramSeries, ScalarSeries, type SeriesIdentity, SummarySeries } from "./series.ts";
import type { ColumnSpill } from "../../core/statistics/column_spill.ts";
import type { ValueColumn } from "./value_column.ts";

/** A series of any kind. */
export type Series = ScalarSeries | HistogramSeries | SummarySeries;

/** Part of its series that a sample is; for a bucket, its bound. */
export type SamplePart = "value" | "sum" | "count" | { readonly bound: string };

/** A sample that is kept: the series that it belongs to, and its value on a page. */
export interface KeptSample {
  readonly series: Series;
  readonly part: SamplePart;
  readonly value: number;
}

/** Column of a sample's values. */
interface Slot {
  readonly column: ValueColumn;
  readonly series: Series;
  readonly part: SamplePart;
  /** Whether the series is known to have a value. */
  hasValue: boolean;
  /** Position of this slot's last sample on the page being read: the last sample is used. */
  position: number;
}

/** Longer keys of series are not kept as they are. */
const MAX_KEY_LENGTH = 64;
/** Most of these times that are kept: few are enough to identify a process. */
const MAX_CREATED = 64;

/** See the module's comment. */
export class EndpointSeries {
  readonly #times = new FloatColumn();
  readonly #updates = new FloatColumn();
  readonly #series = new Map<string, Series>();
  /** Numbers of the metrics by their names. */
  readonly #metrics = new Map<string, number>();
  /** Series that have a value, in the order of their first values. */
  readonly #withValues = new Set<Series>();
  /** The columns of all series, each once. */
  readonly #columns = new Set<ValueColumn>();
  /** Slots by the numbers that the parser gave to samples; null for samples that are not kept. */
  #slots: (Slot | null | undefined)[] = [];
  readonly #samples: SampleSeries[] = [];
  #metadata: ReadonlyMap<string, FamilyMetadata> = new Map();
  #lastIds: Int32Array = new Int32Array(0);
  #lastValues: Float64Array = new Float64Array(0);
  #latencyNs = 0;
  #maxLatencyNs = 0;
  readonly #redact: (text: string) => string;
  #firstPageNs = NaN;
  #firstIsWhole = false;
  /** Metrics with values that are not finite; those were left out. */
  readonly nonFinite = new Set<string>();
  /** Metrics that are skipped because they only report the server's uptime. */
  readonly uptimes = new Set<string>();
  /** Metrics with several samples of the same labels on a page; the last sample is used. */
  readonly repeated = new Set<string>();
  /** Metrics whose series got or lost labels between two pages, and are continued. */
  readonly relabelled = new Set<string>();
  /** Times since when series are counted, as the server states them, by the text of the series. */
  readonly created = new Map<string, number>();
  /** Lines that could not be read. */
  problemCount = 0;

  /** @param redact removes secrets from a server's metric names, labels and help texts */
  constructor(redact: (text: string) => string = (text) => text) {
    this.#redact = redact;
  }

  /** All series that have a value, in the order in which they were first seen. */
  get series(): Iterable<Series> {
    return this.#withValues;
  }

  /** Times of the scrapes with their rows as index, ns of the run's clock, ascending. */
  get timesNs(): Float64Array {
    return this.#times.values;
  }

  /** Times of the scrapes whose page differed from the one before. */
  get updatesNs(): Float64Array {
    return this.#updates.values;
  }

  /** Mean time that a scrape took, in nanoseconds; NaN without any. */
  get meanLatencyNs(): number {
    return this.#latencyNs / this.#times.length;
  }

  /** The longest time that a scrape took, in nanoseconds. */
  get maxLatencyNs(): number {
    return this.#maxLatencyNs;
  }

  /**
   * Time of the first page that shows by a series' absence that there was none of it yet; an empty
   * page does, too. NaN before there is one.
   */
  firstPageNs({ wasSeenEmpty }: Series): number {
    return wasSeenEmpty ? NaN : this.#firstPageNs;
  }

  /** Adds a page. Pages come in the order of their times. */
  add(page: ScrapedPage): void {
    for (const sample of page.newSeries) this.#samples[sample.id] = sample;
    const slots = this.#slots;
    if (page.metadata !== undefined) {
      this.#metadata = new Map(page.metadata.map((family) => [family.name, family]));
      // Any of the samples may belong to another family now.
      this.#slots = [];
    }
    if (!page.duplicate) {
      if (page.newSeries.length > 0) {
        this.#continueSeries(page, slots);
        this.#addCreated(page);
      }
      this.#lastIds = page.ids;
      this.#lastValues = page.values;
      this.problemCount += page.problemCount;
    }
    // A page that was cut off says nothing about what is not on it.
    if (Number.isNaN(this.#firstPageNs) || (page.isWhole && !this.#firstIsWhole)) {
      this.#firstPageNs = page.firstByteNs;
      this.#firstIsWhole = page.isWhole;
    }
    if (!this.#addValues(this.#times.length)) return;
    this.#times.push(page.firstByteNs);
    this.#latencyNs += page.latencyNs;
    this.#maxLatencyNs = Math.max(this.#maxLatencyNs, page.latencyNs);
    if (!page.duplicate) this.#updates.push(page.firstByteNs);
  }

  /** Bytes of memory that the values use. */
  get byteLength(): number {
    let bytes = 0;
    for (const column of this.#columns) bytes += column.byteLength;
    return bytes;
  }

  /** Moves values from memory to a file. */
  spill(to: ColumnSpill): void {
    for (const column of this.#columns) column.spill(to);
  }

  /** Number of samples of the last page. */
  get lastCount(): number {
    return this.#lastIds.length;
  }

  /** A sample of the last page by its position; undefined if it is not kept. */
  lastSample(position: number): KeptSample | undefined {
    const slot = this.#slots[this.#lastIds[position] as number];
    if (slot === null || slot === undefined || slot.position !== position) return undefined;
    // Parts of a histogram that was left out are not of this row.
    if (slot.column.lastRow !== this.#times.length - 1) return undefined;
    return { series: slot.series, part: slot.part, value: this.#lastValues[position] as number };
  }

  /**
   * Continues series that are gone from a page under their new labels, if a label was added or
   * removed and exactly one new series has the others. A new series would count from zero.
   * @param slots those of the pages before
   */
  #continueSeries(page: ScrapedPage, slots: readonly (Slot | null | undefined)[]): void {
    const gone = new Set<Series>();
    for (const id of this.#lastIds) {
      const slot = slots[id];
      if (slot?.hasValue === true) gone.add(slot.series);
    }
    for (const id of page.ids) {
      const slot = slots[id];
      if (slot !== null && slot !== undefined) gone.delete(slot.series);
    }
    if (gone.size === 0) return;
    const added = new Map<string, SeriesIdentity>();
    for (const sample of page.newSeries) {
      const role = sampleRole(sample.name, sample.labels, this.#metadata);
      const identity = keptIdentity(sample, role, this.#redact);
      if (identity === undefined) continue;
      const key = keyOf(identity);
      if (!this.#series.has(key)) added.set(key, identity);
    }
    for (const [key, before] of continuedSeries(added, gone)) {
      this.#series.set(key, before);
      this.relabelled.add(before.identity.name);
    }
  }

  /** Keeps some of the times that a process states once for each of its series. */
  #addCreated({ ids, newSeries, values }: ScrapedPage): void {
    if (this.created.size >= MAX_CREATED) return;
    const added = new Map(
      newSeries.flatMap((one) => CREATED_NAME.test(one.name) ? [[one.id, one] as const] : []),
    );
    if (added.size === 0) return;
    ids.forEach((id, position) => {
      const sample = added.get(id);
      if (sample === undefined || this.created.size >= MAX_CREATED) return;
      const key = textKey(JSON.stringify([sample.name, ...sample.labels]), MAX_KEY_LENGTH);
      this.created.set(key, values[position] as number);
    });
  }

  /** Whether any sample of the last page is kept. */
  #addValues(row: number): boolean {
    const ids = this.#lastIds;
    const values = this.#lastValues;
    const slots = this.#slots;
    let torn: Set<unknown> | undefined;
    let kept = false;
    for (let position = 0; position < ids.length; position++) {
      const id = ids[position] as number;
      let slot = slots[id];
      if (slot === undefined) {
        slot = slots[id] = this.#slotOf(id);
        if (slot !== null) this.#columns.add(slot.column);
      }
      if (slot === null) continue;
      if (Number.isFinite(values[position])) {
        slot.position = position;
        continue;
      }
      slot.position = -1;
      if (slot.series instanceof SummarySeries) continue;
      if (!this.#withValues.has(slot.series)) slot.series.wasSeenEmpty = true;
      this.nonFinite.add(this.#redact(this.#samples[id]?.name ?? ""));
      if (slot.series instanceof HistogramSeries) (torn ??= new Set()).add(slot.series);
    }
    for (let position = 0; position < ids.length; position++) {
      const slot = slots[ids[position] as number];
      if (slot === null || slot === undefined) continue;
      if (slot.position !== position) {
        if (slot.position > position) this.repeated.add(slot.series.identity.name);
        continue;
      }
      // A histogram with a part that is no number says nothing as a whole.
      if (torn?.has(slot.series)) continue;
      slot.column.set(row, values[position] as number);
      if (!slot.hasValue) {
        slot.hasValue = true;
        this.#withValues.add(slot.series);
      }
      kept = true;
    }
    return kept;
  }

  #slotOf(id: number): Slot | null {
    const sample = this.#samples[id];
    if (sample === undefined) return null;
    const role = sampleRole(sample.name, sample.labels, this.#metadata);
    if (!CREATED_NAME.test(role.family) && UPTIME_NAME.test(role.family)) {
      this.uptimes.add(this.#redact(role.family));
    }
    const identity = keptIdentity(sample, role, this.#redact);
    if (identity === undefined) return null;
    const { type } = identity;
    return type === "histogram"
      ? this.#histogramSlot(sample, role, identity)
      : type === "summary"
      ? this.#summarySlot(sample, role, identity)
      : this.#scalarSlot(identity);
  }

  #scalarSlot(identity: SeriesIdentity): Slot {
    const series = this.#known(identity, ScalarSeries);
    return { column: series.values, series, part: "value", position: -1, hasValue: false };
  }

  #histogramSlot(sample: SampleSeries, role: SampleRole, identity: SeriesIdentity): Slot | null {
    const series = this.#known(identity, HistogramSeries);
    if (role.role !== "bucket") {
      const part = role.role === "sum" ? "sum" : "count";
      return { column: series[part], series, part, position: -1, hasValue: false };
    }
    const bucket = series.bucket(labelOf(sample, "le"));
    if (bucket === undefined) return null;
    return {
      column: bucket.counts,
      series,
      part: { bound: bucket.bound },
      position: -1,
      hasValue: false,
    };
  }

  #summarySlot(sample: SampleSeries, role: SampleRole, identity: SeriesIdentity): Slot {
    const series = this.#known(identity, SummarySeries);
    if (role.role !== "quantile") {
      const part = role.role === "sum" ? "sum" : "count";
      return { column: series[part], series, part, position: -1, hasValue: false };
    }
    const bound = this.#redact(labelOf(sample, "quantile") ?? "");
    return {
      column: series.quantile(bound),
      series,
      part: { bound },
      position: -1,
      hasValue: false,
    };
  }

  /** The series of that identity, a new one if there is none yet. */
  #known<T extends Series>(
    identity: SeriesIdentity,
    make: new (identity: SeriesIdentity, number: number, metricNumber: number) => T,
  ): T {
    const key = keyOf(identity);
    const series = this.#series.get(key);
    // The type is a part of the key.
    if (series !== undefined) return series as T;
    let metric = this.#metrics.get(identity.name);
    if (metric === undefined) this.#metrics.set(identity.name, metric = this.#metrics.size);
    const added = new make(identity, this.#series.size, metric);
    this.#series.set(key, added);
    return added;
  }
}

function labelOf({ labels }: SampleSeries, wanted: string): string | undefined {
  return labels.find(([name]) => name === wanted)?.[1];
}

function keyOf({ name, type, labels }: SeriesIdentity): string {
  return textKey(JSON.stringify([name, type, ...labels]), MAX_KEY_LENGTH);
}
