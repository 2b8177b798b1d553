import { SUMMARY_PERCENTILES } from "../../core/statistics/summarize.ts";
import { knownName } from "../../telemetry/engines/page_engines.ts";
import { matches, type Selector } from "../../telemetry/engines/role_series.ts";
import {
  ROLE_WORDS,
  type RoleName,
  roleNamed,
  type ShareName,
} from "../../telemetry/engines/roles.ts";
import { nearest } from "../options/nearest.ts";

/** A series of a server's metric with its statistics. */
export interface ServerFigures {
  readonly name: string;
  readonly unit: string | null;
  readonly stats: Readonly<Record<string, number>>;
  /** Between which values an estimate certainly lies, by its name; missing where nothing is known. */
  readonly bounds?: Readonly<Record<string, readonly [lower: number, upper: number]>>;
  /** Which series it is, where there are several. */
  readonly series: string;
  readonly labels?: readonly (readonly [name: string, value: string])[];
  /** Number of instances that it is put together from; one if missing. */
  readonly instances?: number;
  /**
   * Seconds from the end of the run to the only page that has it, negative if that came before;
   * undefined if pages came between start and end.
   */
  readonly lateSeconds?: number | undefined;
}

/** The statistics that some type of server metric has; percentiles of histograms are estimates. */
export const SERVER_STATISTICS: readonly string[] = [
  ...["avg", "min", "max", "std", "total", "rate", "rate_avg", "rate_min", "rate_max", "rate_std"],
  ...["count", "sum", "count_rate", "sum_rate"],
  ...SUMMARY_PERCENTILES.flatMap((p) => [`p${p}`, `p${p}_estimate`]),
];

/** Servers of a run as objectives see them. */
export interface JudgedServers {
  /** Every series that a server reports. */
  readonly series: readonly ServerFigures[];
  /** The number of a role, or of a ratio of two, over all instances; undefined if none has it. */
  role(name: RoleName | ShareName, selector: Selector): ServerFigures | undefined;
}

/**
 * The values that a name stands for, and the remark if there are none. The name of a role stands for
 * one number, over all instances; the name of a metric for each of its series.
 */
export function seriesNamed(
  name: string,
  selector: Selector,
  { series: all, role }: JudgedServers,
): { readonly series: readonly ServerFigures[]; readonly missing: string } {
  const named = roleNamed(name);
  const figure = named === undefined ? undefined : role(named, selector);
  if (figure !== undefined) return { series: [figure], missing: "" };
  const names = [...new Set(all.map((figures) => figures.name))];
  const wanted = new Set(namesMeant(name, names));
  const ofName = all.filter((figures) => wanted.has(figures.name));
  const series = ofName.filter(({ labels = [] }) => matches({ labels }, selector));
  return { series, missing: missingText(name, selector, names, ofName.length > 0) };
}

function missingText(
  name: string,
  selector: Selector,
  names: readonly string[],
  hasName: boolean,
): string {
  if (names.length === 0) return "no server reported any metric";
  const isKnown = hasName || roleNamed(name) !== undefined;
  if (selector.length > 0 && isKnown) {
    return `no server reports "${name}" with ${selectorText(selector)}`;
  }
  const guess = nearestServerName(name, names);
  return `no server reports "${name}"` +
    (guess === undefined || guess === name.toLowerCase() ? "" : `, did you mean "${guess}"?`);
}

/** A selector as objectives have it: `{engine_type=decode}`; empty for none. */
export function selectorText(selector: Selector): string {
  if (selector.length === 0) return "";
  const texts = selector.map(([label, value]) =>
    `${label}=${/^[\w./:-]+$/.test(value) ? value : JSON.stringify(value)}`
  );
  return `{${texts.join(",")}}`;
}

/** The metric that a misspelt name most likely meant; undefined if none is near. */
export function nearestServerName(name: string, names: readonly string[]): string | undefined {
  return nearest(name, [...names.flatMap(spellings), ...ROLE_WORDS]);
}

/** The name itself; else what it is called with a server's prefix, a counter's ending, or both. */
export function namesMeant(name: string, names: readonly string[]): readonly string[] {
  if (names.includes(name)) return [name];
  const wanted = name.toLowerCase().replace(/_total$/, "");
  const own = spellings(name)[0];
  return names.filter((other) => spellings(other).some((text) => text === wanted || text === own));
}

/** How a metric may be called: under the first prefix of its server, in full, without a prefix. */
function spellings(name: string): string[] {
  const full = name.toLowerCase().replace(/_total$/, "");
  const known = knownName(name);
  const rest = full.slice(full.indexOf(":") + 1);
  return [
    ...(known === undefined ? [full] : [known.name.toLowerCase().replace(/_total$/, "")]),
    full,
    ...(known === undefined ? [rest] : [known.bare.toLowerCase().replace(/_total$/, "")]),
  ];
}

/** A statistic of a series; percentiles of a histogram are its estimates. */
export function serverStatistic(
  { stats }: ServerFigures,
  statistic: string,
): number | undefined {
  return stats[statistic] ?? stats[`${statistic}_estimate`];
}
