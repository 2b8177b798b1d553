import type { Metric } from "../../measurement/metrics/metric.ts";
import { SHARE_METRICS } from "../../measurement/metrics/run_metrics.ts";
import { TURN_METRICS } from "../../measurement/metrics/session_results.ts";
import { nearest } from "../options/nearest.ts";
import { UsageError } from "../options/usage_error.ts";
import type { Selector } from "../../telemetry/engines/role_series.ts";
import { type GpuFigureKind, gpuFiguresNamed, nearestGpuName } from "./gpu_figure.ts";
import { selectorText, SERVER_STATISTICS } from "./server_figure.ts";
import { CATALOG, OWN_UNITS, SHORT_NAMES, SUMMARY_STATISTICS, SYNONYMS } from "./slo_catalog.ts";
import { isTruthName, nearestTruthName, TRUTH_NAMES, truthUnit } from "./truth_figure.ts";
import { decimalUnitOf, unitOf, unitRatio, unitText } from "./unit.ts";

/** How a value is compared with a threshold. */
export type Operator = "<" | "<=" | ">" | ">=";

/** A service level objective of a whole run: a statistic of a metric and what it must be. */
export interface Slo {
  /** Name as shown: `ttft.p99`, `error_rate`, `server.kv_cache_usage.max`, `gpu.power.max`. */
  readonly name: string;
  readonly source: "client" | "server" | "gpu" | "truth";
  /** Tag of a client metric; name of a server's, which only its pages can confirm, or of GPUs'. */
  readonly metric: string;
  /** Labels that series of a server's metric must have; missing for none. */
  readonly selector?: Selector;
  /** Name of the statistic; `avg` of a metric that has one value. */
  readonly statistic: string;
  readonly operator: Operator;
  /** In `unit`. */
  readonly threshold: number;
  /** The unit it was written in; empty for the metric's own. */
  readonly unit: string;
}

const OPERATOR = /<=|>=|<|>/;
/** Depth or kind of agents, a metric, and a statistic unless it has one value. Kinds may have dots. */
const AGENT_NAME = /^(depth\d+|agent\..+?(?=\.hit_rate$)|agent\..+?)\.([\w-]+)(?:\.([\w-]+))?$/i;
/** Metrics that objectives name by depth or kind of agents. */
const AGENT_METRICS: ReadonlySet<string> = new Set([
  ...TURN_METRICS,
  SHARE_METRICS.promptCacheReadPct.tag,
]);
const SERVER_NAME = /^server\.([^{}]*)(?:\{([^}]*)\})?\.(\w+)$/i;
const LABEL = /^\s*([A-Za-z_]\w*)\s*=\s*(?:"([^"]*)"|([^",]*?))\s*(?:,|$)/;
const VALUE = /^([+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?)\s*(.*)$/i;

/**
 * Reads objectives in the format of `--slo`: `ttft.p99<500ms`, several separated by commas.
 * @param custom GPU metrics in addition to the usual ones
 * @throws {UsageError} for an unknown metric, statistic or unit
 */
export function parseSlos(
  texts: readonly string[],
  custom: readonly GpuFigureKind[] = [],
): Slo[] {
  return texts.flatMap(separated).map((text) => text.trim())
    .filter((text) => text !== "").map((text) => parseSlo(text, custom));
}

/** The objectives of a text: commas in braces are between labels. */
function separated(text: string): string[] {
  let from = 0;
  return withoutLabels(text).split(",").map(({ length }) => {
    const start = from;
    from += length + 1;
    return text.slice(start, start + length);
  });
}

/** Returns a text with spaces in place of labels in braces, which may contain any characters. */
function withoutLabels(text: string): string {
  return text.replace(/\{[^{}]*\}/g, ({ length }) => " ".repeat(length));
}

function parseSlo(text: string, custom: readonly GpuFigureKind[]): Slo {
  const fail = (reason: string): never => {
    throw new UsageError("--slo", `${reason}: got ${JSON.stringify(text)}`);
  };
  const found = OPERATOR.exec(withoutLabels(text));
  if (found === null || found.index === 0) {
    return fail("Expected metric.statistic, one of < <= > >=, and a value, as in ttft.p99<500ms");
  }
  const [operator] = found;
  const name = text.slice(0, found.index);
  const value = text.slice(found.index + operator.length).trim();
  const [, digits, unit = ""] = VALUE.exec(value) ??
    fail("Expected a number, with or without a unit, after the operator");
  const threshold = Number(digits);
  if (!Number.isFinite(threshold)) fail("The value must be finite");
  if (unit !== "" && unitOf(unit) === undefined && !OWN_UNITS.has(unit)) {
    fail(`Unknown unit "${unit}": known are ns, us, ms, s, %, tokens/s, requests/s, /s and more`);
  }
  const rest = { operator: operator as Operator, threshold, unit };
  return sloNamed(name.trim(), rest, custom, fail);
}

function sloNamed(
  name: string,
  rest: Condition,
  custom: readonly GpuFigureKind[],
  fail: Fail,
): Slo {
  const ofAgents = AGENT_NAME.exec(name);
  if (ofAgents !== null) return agentSlo(ofAgents, rest, fail);
  // The metrics of sessions and answers are also named by their group: session.duration.p95.
  const words = name.replace(/^(session|answers)\./i, "$1_").split(".");
  const first = words[0]?.toLowerCase() ?? "";
  if (first === "server") return serverSlo(name, rest, fail);
  if (isTruthName(name)) return truthSlo(name, rest, fail);
  if (first === "gpu") return gpuSlo(words.slice(1), rest, custom, fail);
  const isOfGpus = !SHORT_NAMES.has(first) && !CATALOG.has(first) &&
    gpuFiguresNamed(first, custom).length > 0;
  return isOfGpus ? gpuSlo(words, rest, custom, fail) : clientSlo(words, rest, fail);
}

/** Reads `depth0.ttft.p99`, `agent.explore.hit_rate`: a metric of the requests of some agents. */
function agentSlo(
  [, group = "", metric = "", statistic]: readonly string[],
  rest: Condition,
  fail: Fail,
): Slo {
  const agents = group.toLowerCase();
  const words = metric.toLowerCase() === "hit_rate"
    ? [SHARE_METRICS.promptCacheReadPct.tag]
    : [metric];
  const slo = clientSlo(statistic === undefined ? words : [...words, statistic], rest, fail);
  if (!AGENT_METRICS.has(slo.metric)) {
    fail(`"${metric}" is not known by agent, there are ttft, itl, latency, isl, osl and hit_rate`);
  }
  const shown = statistic === undefined ? metric.toLowerCase() : `${metric}.${slo.statistic}`;
  return { ...slo, name: `${agents}.${shown}`, metric: `${agents}.${slo.metric}` };
}

type Condition = Pick<Slo, "operator" | "threshold" | "unit">;
type Fail = (reason: string) => never;

/** Name of a statistic of a metric in an objective, a trend or a list. */
export type FigureName = Pick<Slo, "name" | "source" | "metric" | "selector" | "statistic">;

/**
 * Reads a name in the format of objectives: `ttft.p99`, `server.kv_cache_usage.max`.
 * @param option option that contains the name
 * @throws {UsageError} for an unknown metric or statistic
 */
export function parseFigureName(text: string, option: string): FigureName {
  const fail = (reason: string): never => {
    throw new UsageError(option, `${reason}: got ${JSON.stringify(text)}`);
  };
  const rest = { operator: "<", threshold: 0, unit: "" } as const;
  const { operator: _operator, threshold: _threshold, unit: _unit, ...figure } = sloNamed(
    text.trim(),
    rest,
    [],
    fail,
  );
  return figure;
}

function clientSlo(
  words: readonly string[],
  rest: Condition,
  fail: Fail,
): Slo {
  const [word = "", ...others] = words.map((word) => word.toLowerCase().replaceAll("-", "_"));
  const named = SHORT_NAMES.get(word) ?? word;
  const counted = unitOf(rest.unit)?.dimension ?? "";
  // What goes through is tokens, unless the unit says requests.
  const tag = word === "throughput" && counted.startsWith("requests")
    ? "request_throughput"
    : named;
  const judged = CATALOG.get(tag) ?? fail(unknownMetric(word));
  const { metric, statistics } = judged;
  const statistic = statisticOf(word, others, statistics, fail);
  if (statistic === "count") checkCount(word, rest.unit, fail);
  else checkUnit(rest.unit, metric, fail);
  return {
    ...rest,
    name: statistics === undefined ? word.replace(/^answers_/, "answers.") : `${word}.${statistic}`,
    source: "client",
    metric: tag,
    statistic,
  };
}

function unknownMetric(word: string): string {
  const ofGpus = nearestGpuName(word, []);
  const guess = nearest(word, [...SHORT_NAMES.keys(), ...CATALOG.keys()]) ??
    (ofGpus === undefined ? undefined : `gpu.${ofGpus}`);
  const advice = guess === undefined
    ? `known are ${
      [...SHORT_NAMES.keys()].slice(0, 8).join(", ")
    }, every tag of docs/metrics.md, ` +
      "and a server's metrics as server.NAME.STATISTIC"
    : `did you mean "${guess}"?`;
  return `Unknown metric "${word}", ${advice}`;
}

function statisticOf(
  word: string,
  others: readonly string[],
  statistics: readonly string[] | undefined,
  fail: Fail,
): string {
  const [given, ...surplus] = others;
  const statistic = SYNONYMS.get(given ?? "") ?? given ?? "avg";
  const known = statistics ?? ["avg", "value"];
  if (surplus.length > 0 || !known.includes(statistic)) {
    if (statistics === undefined) fail(`"${word}" is one value and has no statistic`);
    const wrong = others.join(".");
    const guess = nearest(wrong, known);
    fail(
      `Unknown statistic "${wrong}" of "${word}", ` +
        (guess === undefined ? `there are ${known.join(", ")}` : `did you mean "${guess}"?`),
    );
  }
  return statistics === undefined ? "avg" : statistic;
}

function checkCount(word: string, unit: string, fail: Fail): void {
  if (unit !== "") fail(`"${word}.count" is a number, not in "${unit}"`);
}

function checkUnit(unit: string, metric: Metric, fail: Fail): void {
  if (unit === "" || unit === metric.unit) return;
  const [written, own] = [unitOf(unit), unitOf(metric.unit)];
  if (written !== undefined && own !== undefined && unitRatio(written, own) !== undefined) return;
  fail(`"${metric.tag}" is in ${unitText(metric.unit) || "no unit"}, not in "${unit}"`);
}

function serverSlo(
  name: string,
  rest: Condition,
  fail: Fail,
): Slo {
  const [, metric = "", labels, last = ""] = SERVER_NAME.exec(name) ?? [];
  const given = last.toLowerCase();
  if (metric === "") {
    fail("A server's metric needs a name and a statistic, as in server.kv_cache_usage.max");
  }
  const selector = labels === undefined ? [] : selectorOf(labels, fail);
  const statistic = SYNONYMS.get(given) ?? given;
  if (!SERVER_STATISTICS.includes(statistic)) {
    const guess = nearest(statistic, SERVER_STATISTICS);
    fail(
      `Unknown statistic "${given}", ` +
        (guess === undefined
          ? `there are ${SERVER_STATISTICS.join(", ")}`
          : `did you mean "${guess}"?`),
    );
  }
  if (!/^[A-Za-z_:][\w:.]*$/.test(metric)) fail(`"${metric}" is no name of a server's metric`);
  return {
    ...{ ...rest, source: "server", metric, statistic },
    name: `server.${metric}${selectorText(selector)}.${statistic}`,
    ...(selector.length === 0 ? {} : { selector }),
  };
}

/** Reads `cache.hit_rate`, a value that servers report about themselves. */
function truthSlo(name: string, rest: Condition, fail: Fail): Slo {
  const metric = name.toLowerCase().replaceAll("-", "_").replace(/\.(avg|value)$/, "");
  const unit = truthUnit(metric);
  if (unit === undefined) {
    const guess = nearestTruthName(metric);
    return fail(
      `Unknown metric "${name}", ` +
        (guess === undefined ? `known are ${TRUTH_NAMES.join(", ")}` : `did you mean "${guess}"?`),
    );
  }
  const [written, own] = [unitOf(rest.unit), unitOf(unit)];
  const fits = rest.unit === "" || rest.unit === unit ||
    (written !== undefined && own !== undefined && unitRatio(written, own) !== undefined);
  if (!fits) fail(`"${metric}" is in ${unitText(unit) || "no unit"}, not in "${rest.unit}"`);
  return { ...rest, name: metric, source: "truth", metric, statistic: "avg" };
}

/** Reads `engine_type=decode, model_name="m"`. */
function selectorOf(text: string, fail: Fail): Selector {
  const selector: (readonly [label: string, value: string])[] = [];
  for (let rest = text; rest.trim() !== "";) {
    const found = LABEL.exec(rest) ??
      fail("Labels must be as in server.kv_cache_usage{engine_type=decode}.max");
    const [all, label = "", quoted, plain = ""] = found;
    selector.push([label, quoted ?? plain]);
    rest = rest.slice(all.length);
  }
  return selector;
}

function gpuSlo(
  words: readonly string[],
  rest: Condition,
  custom: readonly GpuFigureKind[],
  fail: Fail,
): Slo {
  const [metric = "", ...others] = words.map((word) => word.toLowerCase().replaceAll("-", "_"));
  const figures = gpuFiguresNamed(metric, custom);
  const [first] = figures;
  if (first === undefined) {
    const guess = nearestGpuName(metric, custom);
    const advice = guess === undefined
      ? "known are power, energy, utilization, memory, and every key and tag of docs/gpu.md"
      : `did you mean "gpu.${guess}"?`;
    return fail(`Unknown metric "gpu.${metric}" of GPUs, ${advice}`);
  }
  const isOne = figures.every((figure) => figure.isOne);
  const statistics = isOne ? undefined : SUMMARY_STATISTICS;
  const statistic = statisticOf(`gpu.${metric}`, others, statistics, fail);
  if (statistic === "count") checkCount(`gpu.${metric}`, rest.unit, fail);
  const own = decimalUnitOf(first.unit);
  const written = decimalUnitOf(rest.unit);
  const fits = rest.unit === "" || rest.unit === first.unit ||
    (own !== undefined && written !== undefined && unitRatio(written, own) !== undefined);
  if (!fits) {
    fail(`"gpu.${metric}" is in ${unitText(first.unit) || "no unit"}, not in "${rest.unit}"`);
  }
  const name = isOne ? `gpu.${metric}` : `gpu.${metric}.${statistic}`;
  return { ...rest, name, source: "gpu", metric, statistic };
}
