/**
 * The series of one page that make up a role: the first source whose metrics are there, without
 * copies, parts of totals, and steps of an ensemble.
 */

import type { Engine } from "./engine.ts";
import { type EngineMetrics, metricKey, type SeriesHead } from "./page_engines.ts";
import type { RoleSource } from "./role_source.ts";
import { type RoleName, ROLES } from "./roles.ts";

/** Labels that series must have. */
export type Selector = readonly (readonly [label: string, value: string])[];

/** Choice among the series of a role. */
export interface RoleChoice {
  /** Models that the run asked for: of servers that count by model, only these. */
  readonly models?: readonly string[] | undefined;
  readonly selector?: Selector | undefined;
}

/** Series of a role, each an instance of its own. */
export interface RoleSeries<S> {
  readonly source: RoleSource;
  readonly series: readonly S[];
}

/** The series of a role on a page; undefined if the engine's metrics there do not have it. */
export function roleSeries<S extends SeriesHead>(
  engine: Engine,
  metrics: EngineMetrics<S>,
  role: RoleName,
  { models = [], selector = [] }: RoleChoice = {},
): RoleSeries<S> | undefined {
  const source = roleSource(engine, metrics, role);
  if (source === undefined) return undefined;
  const series = source.names.flatMap((name) =>
    instances(engine, source, ofRole(role, name, metrics.get(metricName(name, source)) ?? []))
  );
  return {
    source,
    series: ofModels(source, series, models).filter((one) => matches(one, selector)),
  };
}

/** The source that a role is read from on a page; undefined if the page has none. */
export function roleSource<S extends SeriesHead>(
  { roles }: Engine,
  metrics: EngineMetrics<S>,
  role: RoleName,
): RoleSource | undefined {
  return roles[role]?.find((source) => {
    const has = (name: string): boolean =>
      ofRole(role, name, metrics.get(metricName(name, source)) ?? []).length > 0;
    const isPresent = source.mayLack ? source.names.some(has) : source.names.every(has);
    return isPresent &&
      (source.ifPresent === undefined || metrics.has(metricName(source.ifPresent, source)));
  });
}

/** Whether a series has all labels of a selector. */
export function matches({ labels }: Pick<SeriesHead, "labels">, selector: Selector): boolean {
  return selector.every(([label, value]) =>
    labels.some((own) => own[0] === label && own[1] === value)
  );
}

function metricName(name: string, { together }: RoleSource): string {
  return metricKey(name, { type: together === "histogram" ? "histogram" : "" });
}

/**
 * The series of a metric that can be the role's. A gauge and a counter may have one name but for
 * `_total`; levels are read from gauges, and what the table spells with `_total` is not.
 */
function ofRole<S extends SeriesHead>(
  role: RoleName,
  name: string,
  series: readonly S[],
): readonly S[] {
  if (ROLES[role].kind === "level") return series.filter(({ type }) => type !== "counter");
  const counters = series.filter(({ type }) => type === "counter" || type === "histogram");
  if (counters.length > 0) return counters;
  return name.endsWith("_total") ? series.filter(({ type }) => type !== "gauge") : series;
}

/** Series without those that repeat others. */
function instances<S extends SeriesHead>(
  { copyLabels = [], partLabels = [] }: Engine,
  { where = {}, oncePer }: RoleSource,
  series: readonly S[],
): S[] {
  const isPart = ({ labels }: S): boolean =>
    labels.some(([label, value]) => value !== "" && partLabels.includes(label));
  const wholes = series.filter((one) => !isPart(one));
  const seen = new Set<string>();
  return (wholes.length > 0 ? wholes : series).filter((one) => {
    const values = new Map(one.labels);
    if (Object.entries(where).some(([label, some]) => !some.includes(values.get(label) ?? ""))) {
      return false;
    }
    const once = oncePer === undefined ? undefined : values.get(oncePer);
    const key = once ?? JSON.stringify(one.labels.filter(([label]) => !copyLabels.includes(label)));
    if (seen.has(key)) return false;
    seen.add(key);
    return true;
  });
}

/** The series of the models asked for, if series are by model and any of them is present. */
function ofModels<S extends SeriesHead>(
  { perModel }: RoleSource,
  series: readonly S[],
  models: readonly string[],
): readonly S[] {
  if (!perModel) return series;
  const asked = series.filter(({ labels }) =>
    labels.some(([label, value]) => label === "model" && models.includes(value))
  );
  return asked.length > 0 ? asked : series;
}
