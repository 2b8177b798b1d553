import { parseBucketBound } from "./bucket_bound.ts";
import { compareDecimals } from "./decimal_order.ts";
import type { FamilyType } from "./exposition.ts";
import { parseFloatText } from "./float_text.ts";
import type { MetadataLine } from "./metadata_line.ts";
import { HistogramPoint } from "./histogram_point.ts";
import { PrometheusSyntaxError } from "./prometheus_syntax_error.ts";
import type { SampleLineReader } from "./sample_line.ts";
import { quoted } from "./quoted.ts";
import { seriesText } from "./series_text.ts";
import { sortLabels } from "./sort_labels.ts";
import { textKey } from "./text_key.ts";

/** Suffixes of sample names by type; other types have samples of the family's own name. */
const SUFFIXES: Readonly<Partial<Record<FamilyType, readonly string[]>>> = {
  "counter": ["_total", "_created"],
  "summary": ["", "_count", "_sum", "_created"],
  "histogram": ["_count", "_sum", "_bucket", "_created"],
  "gaugehistogram": ["_gcount", "_gsum", "_bucket"],
  "info": ["_info"],
};
const NO_SUFFIX: readonly string[] = [""];
/** Samples with these suffixes count something, so they are numbers. */
const COUNTING: ReadonlySet<string> = new Set([
  "_total",
  "_sum",
  "_count",
  "_bucket",
  "_gcount",
  "_gsum",
]);
/** The one of these that may be negative. */
const MAY_BE_NEGATIVE = "_gsum";
/** Samples with these suffixes are whole numbers. */
const WHOLE: ReadonlySet<string> = new Set(["_bucket", "_count", "_gcount"]);
const MAX_EXEMPLAR_CODE_POINTS = 128;

/** The family whose lines are being read. */
interface OpenFamily {
  readonly name: string;
  readonly line: number;
  type: FamilyType | undefined;
  help: boolean;
  unit: string | undefined;
  suffixes: readonly string[];
  samples: number;
}

/**
 * Rules of OpenMetrics 1.0 beyond the grammar of single lines: contiguous families without clashing
 * names, contiguous metrics with times in order, values and labels as the type requires, complete
 * histograms.
 */
export class OpenMetricsRules {
  /** Names that families before this one may give to samples. */
  readonly #taken = new Set<string>();
  #family: OpenFamily | undefined;
  /** Metrics of the family that were read. */
  #metrics = new Set<string>();
  /** The metric being read, and its samples at the current time. */
  #metric: string | undefined;
  #pointSamples = new Set<string>();
  #timestamp = "";
  #histogram: HistogramPoint | undefined;

  /**
   * Takes a HELP, TYPE or UNIT line.
   * @throws {PrometheusSyntaxError} if it may not stand here
   */
  addMetadata({ kind, name, text, textAt }: MetadataLine, line: number): void {
    if (this.#family?.name !== name) this.#open(name, line);
    const family = this.#family as OpenFamily;
    if (family.samples > 0) {
      throw new PrometheusSyntaxError(
        `${kind} of ${quoted(name)} is after its samples`,
        line,
        1,
      );
    }
    const seen = kind === "HELP" ? family.help : kind === "TYPE" ? family.type : family.unit;
    if (seen !== undefined && seen !== false) {
      throw new PrometheusSyntaxError(`A second ${kind} of ${quoted(name)}`, line, 1);
    }
    if (kind === "HELP") family.help = true;
    else if (kind === "UNIT") family.unit = text;
    else {
      family.type = text as FamilyType;
      family.suffixes = SUFFIXES[family.type] ?? NO_SUFFIX;
    }
    const { type, unit } = family;
    if (unit === undefined || unit === "") return;
    if (!name.endsWith(`_${unit}`)) {
      const message = `Unit ${quoted(unit)} is not the last part of the name ${quoted(name)}`;
      throw new PrometheusSyntaxError(message, line, textAt + 1);
    }
    if (type === "info" || type === "stateset") {
      throw new PrometheusSyntaxError(`A family of type ${type} has a unit`, line, textAt + 1);
    }
  }

  /**
   * Takes the sample that a reader has just read.
   * @throws {PrometheusSyntaxError} if it may not stand here
   */
  addSample(sample: SampleLineReader, line: number): void {
    let family = this.#family;
    let suffix = family === undefined ? undefined : suffixOf(family, sample.name);
    if (family === undefined || suffix === undefined) {
      if (family?.name === sample.name) {
        const names = family.suffixes.map((each) => quoted(sample.name + each)).join(" or ");
        const message = `Samples of ${family.type} ${quoted(family.name)} are called ${names}`;
        throw new PrometheusSyntaxError(message, line, 1);
      }
      this.#open(sample.name, line);
      family = this.#family as OpenFamily;
      suffix = "";
    }
    family.samples++;
    const fail = (message: string) => new PrometheusSyntaxError(message, line, 1);
    const problem = labelProblem(family, suffix, sample) ??
      this.#orderProblem(family, suffix, sample) ??
      valueProblem(family, suffix, sample) ?? exemplarProblem(family, suffix, sample);
    if (problem !== undefined) throw fail(problem);
    if (family.type !== "histogram" && family.type !== "gaugehistogram") return;
    this.#histogram ??= new HistogramPoint(family.name);
    const bucketProblem = this.#histogram.add(suffix, sample, line);
    if (bucketProblem !== undefined) throw fail(bucketProblem);
  }

  /**
   * Ends the page.
   * @throws {PrometheusSyntaxError} if the last family is not complete
   */
  end(): void {
    this.#close();
  }

  #open(name: string, line: number): void {
    this.#close();
    if (this.#taken.has(name)) {
      throw new PrometheusSyntaxError(
        `The name ${quoted(name)} belongs to an earlier family`,
        line,
        1,
      );
    }
    const metadata = { type: undefined, help: false, unit: undefined };
    this.#family = { name, line, ...metadata, suffixes: NO_SUFFIX, samples: 0 };
    this.#metrics = new Set();
    this.#metric = undefined;
    this.#pointSamples = new Set();
    this.#timestamp = "";
  }

  #close(): void {
    this.#closeHistogram();
    if (this.#family === undefined) return;
    const { name, suffixes, line } = this.#family;
    for (const suffix of suffixes === NO_SUFFIX ? NO_SUFFIX : ["", ...suffixes]) {
      if (suffix !== "" && this.#taken.has(name + suffix)) {
        const message = `The name ${quoted(name + suffix)} belongs to an earlier family`;
        throw new PrometheusSyntaxError(message, line, 1);
      }
      this.#taken.add(name + suffix);
    }
  }

  #closeHistogram(): void {
    const histogram = this.#histogram;
    this.#histogram = undefined;
    const problem = histogram?.problem();
    if (histogram !== undefined && problem !== undefined) {
      throw new PrometheusSyntaxError(problem, histogram.line, 1);
    }
  }

  /** Checks whether the sample is at the position required for its metric and time. */
  #orderProblem(
    family: OpenFamily,
    suffix: string,
    sample: SampleLineReader,
  ): string | undefined {
    const { timestamp } = sample;
    const metric = metricKey(family, suffix, sample);
    const series = sortedText(sample.name, sample);
    const before = this.#timestamp;
    let isSamePoint = false;
    if (metric !== this.#metric) {
      if (this.#metrics.has(metric)) {
        return `The lines of a metric of ${quoted(family.name)} are not contiguous`;
      }
      this.#metrics.add(metric);
    } else {
      if ((timestamp === "") !== (before === "")) {
        return `A metric of ${quoted(family.name)} has samples with and without a timestamp`;
      }
      const order = timestamp === "" ? 0 : compareDecimals(timestamp, before);
      if (order < 0 && family.type !== "info") {
        return `Timestamps of a metric of ${quoted(family.name)} go back`;
      }
      isSamePoint = order === 0;
    }
    if (!isSamePoint) {
      this.#closeHistogram();
      this.#pointSamples = new Set();
    } else if (timestamp === "" && this.#pointSamples.has(series)) {
      return `A sample of ${quoted(family.name)} is given twice`;
    }
    this.#pointSamples.add(series);
    this.#metric = metric;
    this.#timestamp = timestamp;
    return undefined;
  }
}

function suffixOf({ name, suffixes }: OpenFamily, sampleName: string): string | undefined {
  if (!sampleName.startsWith(name)) return undefined;
  return suffixes.find((suffix) =>
    sampleName.length === name.length + suffix.length &&
    sampleName.endsWith(suffix)
  );
}

/** The label that distinguishes samples of one metric, if the type has one. */
function pointLabel({ type, name }: OpenFamily, suffix: string): string | undefined {
  if (type === "stateset") return name;
  if (type === "summary" && suffix === "") return "quantile";
  return suffix === "_bucket" ? "le" : undefined;
}

/** Labels that all samples of one metric share; infos cannot be distinguished. */
function metricKey(family: OpenFamily, suffix: string, sample: SampleLineReader): string {
  if (family.type === "info") return "";
  const own = pointLabel(family, suffix);
  return sortedText("", sample, own);
}

/** Stands for a name and labels in any order, without one of the labels. */
function sortedText(name: string, sample: SampleLineReader, omitted?: string): string {
  const names = [...sample.labelNames];
  const values = [...sample.labelValues];
  sortLabels(names, values);
  return textKey(seriesText(name, names, values, omitted));
}

function labelProblem(
  family: OpenFamily,
  suffix: string,
  { labelNames, labelValues }: SampleLineReader,
): string | undefined {
  const label = pointLabel(family, suffix);
  if (label === undefined) return undefined;
  const value = labelValues[labelNames.indexOf(label)];
  if (value === undefined) {
    return `A sample of ${quoted(family.name)} has no label ${quoted(label)}`;
  }
  if (label === family.name && family.type === "stateset") return undefined;
  const number = label === "le" ? parseBucketBound(value) : parseFloatText(value);
  if (number === undefined || Number.isNaN(number)) {
    return `Label ${quoted(label)} of ${quoted(family.name)} is no number`;
  }
  if (number === Infinity && value !== "+Inf") {
    return `Label ${quoted(label)} of ${
      quoted(family.name)
    } spells infinity in another way than +Inf`;
  }
  if (label === "quantile" && !(number >= 0 && number <= 1)) {
    return `Label quantile of ${quoted(family.name)} is not between 0 and 1`;
  }
  return undefined;
}

function valueProblem(
  { name, type }: OpenFamily,
  suffix: string,
  { value }: SampleLineReader,
): string | undefined {
  if (COUNTING.has(suffix)) {
    if (Number.isNaN(value)) return `${quoted(name + suffix)} is not a number`;
    if (value < 0 && suffix !== MAY_BE_NEGATIVE) return `${quoted(name + suffix)} is negative`;
  }
  if (WHOLE.has(suffix) && !Number.isInteger(value)) {
    return `${quoted(name + suffix)} is no whole number`;
  }
  if (type === "stateset" && value !== 0 && value !== 1) {
    return `A state of ${quoted(name)} is neither 0 nor 1`;
  }
  if (type === "info" && value !== 1) return `The value of info ${quoted(name)} is not 1`;
  if (type === "summary" && suffix === "" && value < 0) {
    return `A quantile of ${quoted(name)} is negative`;
  }
  return undefined;
}

function exemplarProblem(
  { name, type }: OpenFamily,
  suffix: string,
  { exemplarAt, exemplarNames, exemplarValues }: SampleLineReader,
): string | undefined {
  if (exemplarAt < 0) return undefined;
  const mayHave = type === "counter" ? suffix === "_total" : suffix === "_bucket";
  if (!mayHave) {
    return `A sample of ${quoted(name)} that is neither total nor bucket has an exemplar`;
  }
  let codePoints = 0;
  for (const text of [...exemplarNames, ...exemplarValues]) {
    for (const _ of text) codePoints++;
  }
  return codePoints > MAX_EXEMPLAR_CODE_POINTS
    ? `Labels of an exemplar of ${
      quoted(name)
    } have more than ${MAX_EXEMPLAR_CODE_POINTS} characters`
    : undefined;
}
