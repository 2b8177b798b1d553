import { flagOf, type ProfileOptionName, type ProfileOptions } from "./profile_types.ts";
import { UsageError } from "./usage_error.ts";

/** Which values a number may have. */
interface NumberRule {
  readonly min: number;
  /** The smallest value itself is not allowed. */
  readonly exclusive?: true;
  readonly max?: number;
  readonly integer?: true;
}

const COUNT: NumberRule = { min: 1, max: 2_000_000_000, integer: true };
const POSITIVE: NumberRule = { min: 0, exclusive: true };
const NOT_NEGATIVE: NumberRule = { min: 0 };

const NUMBERS: Partial<Record<ProfileOptionName, NumberRule>> = {
  requestTimeoutSeconds: POSITIVE,
  waitForModelTimeout: NOT_NEGATIVE,
  numDatasetEntries: { ...COUNT, max: 10_000_000 },
  randomSeed: { min: 0, max: Number.MAX_SAFE_INTEGER, integer: true },
  isl: { ...COUNT, max: 10_000_000 },
  islStddev: NOT_NEGATIVE,
  osl: { ...COUNT, max: 10_000_000 },
  oslStddev: NOT_NEGATIVE,
  concurrency: { ...COUNT, max: 1_000_000 },
  requestRate: POSITIVE,
  arrivalSmoothness: POSITIVE,
  requestCount: COUNT,
  benchmarkDuration: POSITIVE,
  benchmarkGracePeriod: NOT_NEGATIVE,
  workers: { ...COUNT, max: 256 },
  warmupRequestCount: COUNT,
  warmupDuration: POSITIVE,
  warmupGracePeriod: NOT_NEGATIVE,
  warmupConcurrency: { ...COUNT, max: 1_000_000 },
  warmupRequestRate: POSITIVE,
  sliceDuration: POSITIVE,
  usageDiffThreshold: NOT_NEGATIVE,
  oslMismatchThreshold: NOT_NEGATIVE,
  oslMismatchMaxTokens: NOT_NEGATIVE,
  maxErrorRate: { min: 0, max: 1 },
  serverMetricsInterval: { min: 0.01, max: 3600 },
  serverMetricsFlushPeriod: { min: 0, max: 3600 },
  serverMetricsReachabilityTimeout: { ...POSITIVE, max: 3600 },
  serverMetricsTimeout: { ...POSITIVE, max: 3600 },
  serverMetricsMaxBytes: { ...COUNT, max: 1_000_000_000 },
  serverMetricsMaxSamples: { ...COUNT, max: 10_000_000 },
  serverMetricsMaxLabels: { ...COUNT, max: 100_000 },
  serverMetricsMaxLabelBytes: { ...COUNT, max: 100_000_000 },
  serverMetricsMaxSeries: { ...COUNT, max: 10_000_000 },
  serverMetricsBatchSize: { ...COUNT, max: 1_000_000 },
};

/** Options that only make sense beside another one. */
const NEEDS: readonly (readonly [ProfileOptionName, readonly ProfileOptionName[]])[] = [
  ["arrivalPattern", ["requestRate"]],
  ["arrivalSmoothness", ["requestRate"]],
  ["benchmarkGracePeriod", ["benchmarkDuration"]],
  ["perChunkUsage", ["streaming"]],
  ["clientCert", ["clientKey"]],
  ["clientKey", ["clientCert"]],
  ["warmupConcurrency", ["warmupRequestCount", "warmupDuration"]],
  ["warmupRequestRate", ["warmupRequestCount", "warmupDuration"]],
  ["warmupGracePeriod", ["warmupDuration"]],
  ["warmupArrivalPattern", ["warmupRequestRate", "requestRate"]],
];

/** Options that contradict each other. */
const EXCLUDES: readonly (readonly [ProfileOptionName, readonly ProfileOptionName[]])[] = [
  ["inputFile", ["isl", "islStddev", "numDatasetEntries"]],
  ["noServerMetrics", ["serverMetrics", "record"]],
];

/**
 * Checks ranges and combinations of options.
 * @throws {UsageError} naming the first option that cannot be used, and why
 */
export function checkOptions(options: ProfileOptions): void {
  for (const [name, rule] of Object.entries(NUMBERS)) {
    const value = options[name as ProfileOptionName];
    if (value !== undefined) checkNumber(name as ProfileOptionName, value, rule);
  }
  for (const [name, others] of NEEDS) {
    if (isGiven(options, name) && !others.some((other) => isGiven(options, other))) {
      throw new UsageError(flagOf(name), `Needs ${others.map(flagOf).join(" or ")}`);
    }
  }
  for (const [name, others] of EXCLUDES) {
    const conflict = others.find((other) => isGiven(options, other));
    if (isGiven(options, name) && conflict !== undefined) {
      throw new UsageError(flagOf(conflict), `Cannot be used together with ${flagOf(name)}`);
    }
  }
  if (options.customDatasetType !== undefined && options.inputFile === undefined) {
    throw new UsageError("--custom-dataset-type", "Needs --input-file");
  }
}

/**
 * The choice that an option names; letter case, and whether words are joined by `-` or `_`, do not
 * matter.
 * @throws {UsageError} if it is none of them
 */
export function chosen<T extends string>(
  name: ProfileOptionName,
  value: string | undefined,
  choices: readonly T[],
  fallback: T,
): T {
  if (value === undefined) return fallback;
  const normal = value.toLowerCase().replaceAll("_", "-");
  const found = choices.find((choice) => choice === normal);
  if (found === undefined) {
    throw new UsageError(flagOf(name), `Must be one of ${choices.join(", ")}: got "${value}"`);
  }
  return found;
}

function isGiven(options: ProfileOptions, name: ProfileOptionName): boolean {
  const value = options[name];
  return value !== undefined && value !== false;
}

function checkNumber(name: ProfileOptionName, value: unknown, rule: NumberRule): void {
  const flag = flagOf(name);
  // Infinity is "no limit" where a duration may be given.
  if (typeof value !== "number" || Number.isNaN(value)) {
    throw new UsageError(flag, `Must be a number: got ${JSON.stringify(value)}`);
  }
  if (rule.integer && !Number.isInteger(value)) {
    throw new UsageError(flag, `Must be a whole number: got ${value}`);
  }
  if (value < rule.min || (rule.exclusive && value === rule.min)) {
    throw new UsageError(
      flag,
      `Must be ${rule.exclusive ? "greater than" : "at least"} ${rule.min}: got ${value}`,
    );
  }
  if (rule.max !== undefined && value > rule.max) {
    throw new UsageError(flag, `Must be at most ${rule.max}: got ${value}`);
  }
}
