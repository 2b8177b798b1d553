/**
 * Pages of engines through every consumer: the table of engines gives the numbers that each case
 * expects, and console, charts, objectives, live view, files, and the wait for idle servers agree.
 */

import assert from "node:assert/strict";
import { judgeSlos } from "../../../src/config/gate/judge_slos.ts";
import { parseSlos } from "../../../src/config/gate/slo.ts";
import { LABEL_WIDTH } from "../../../src/report/console/labelled_lines.ts";
import { serverLines } from "../../../src/report/console/server_lines.ts";
import { serverMetricsJson } from "../../../src/report/export/server_metrics/server_metrics_json.ts";
import { LiveServers } from "../../../src/report/live/live_servers.ts";
import type { ScrapedEndpoint } from "../../../src/report/model/scraped_endpoint.ts";
import { judgedRun } from "../../../src/report/model/judged_run.ts";
import type { RoleFigure, RoleQuery } from "../../../src/report/model/role_figure.ts";
import type { ServerMetricsReport } from "../../../src/report/model/server_metrics_report.ts";
import { serverTimeline } from "../../../src/report/model/server_timeline.ts";
import { pageIsIdle } from "../../../src/run/runner/server_idle.ts";
import { clientFacing } from "../../../src/report/model/client_facing.ts";
import type { Layer } from "../../../src/telemetry/engines/engine.ts";
import type { Pool } from "../../../src/telemetry/engines/place.ts";
import {
  isShare,
  ROLE_NAMES,
  type RoleName,
  ROLES,
  SHARE_NAMES,
  type ShareName,
} from "../../../src/telemetry/engines/roles.ts";
import { endpointOf, reportOf, scrapedEndpoint } from "../../support/metrics_pages.ts";

/** A number, a mean with its largest instance, or the parts of a split role. */
type Expected = number | Readonly<Record<string, number>>;

/** Pages of the endpoints of a run at the ends of its window, and what follows from them. */
interface EngineCase {
  readonly name: string;
  readonly model: string;
  readonly endpoints: readonly {
    readonly url: string;
    /** What a user states about it; missing for nothing. */
    readonly role?: Pool | null;
    readonly before: string | null;
    readonly after: string;
  }[];
  readonly expected:
    & Readonly<Partial<Record<Layer | "system", Readonly<Record<string, Expected>>>>>
    & {
      readonly kinds?: readonly string[];
      readonly roles?: Readonly<Record<string, Readonly<Record<string, Expected>>>>;
      readonly idle: boolean | null;
    };
}

const FOLDERS = ["../../../fixtures/engines/", "../../../../shared/cases/servers/engines/"];
const WINDOW = { start: 0.5, end: 3.5 };
const LAYERS: readonly Layer[] = ["engine", "worker", "front", "gpu", "tier"];
/** The words of objectives, and the lines of charts, of the roles that everything shows. */
const SHOWN = [
  ["running", "running", "running"],
  ["waiting", "waiting", "waiting"],
  ["kv_usage", "kv_cache_usage", "kvUsage"],
] as const;

function* casesIn(folder: string): Generator<EngineCase> {
  const url = new URL(folder, import.meta.url);
  try {
    const names = [...Deno.readDirSync(url)].map(({ name }) => name).sort();
    for (const name of names) yield JSON.parse(Deno.readTextFileSync(new URL(name, url)));
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
}

function endpointsOf({ endpoints }: EngineCase): ScrapedEndpoint[] {
  return endpoints.map(({ url, role, before, after }) => {
    const pages = [WINDOW.start, 1, 2, 3].map((second) => [second, after] as const);
    const first = before === null ? [] : [[0, before] as const];
    return scrapedEndpoint(endpointOf([...first, ...pages]), { url, place: role ?? undefined });
  });
}

function close(actual: number | undefined, expected: number, what: string): void {
  const isClose = actual !== undefined &&
    Math.abs(actual - expected) <= 1e-9 + 1e-6 * Math.abs(expected);
  assert.ok(isClose, `${what}: ${actual}, expected ${expected}`);
}

/** The numbers of a figure under the names that cases have for them. */
function numbersOf({ role, stats, by }: RoleFigure): Readonly<Record<string, number>> {
  if (by !== undefined) return by;
  const { avg = NaN, max = NaN, total = NaN } = stats;
  switch (ROLES[role].kind) {
    case "level":
      return { "mean": avg, "max": max };
    case "count":
      return { "value": total };
    case "time":
      return { "mean": avg };
  }
}

function holds(
  report: ServerMetricsReport,
  query: RoleQuery,
  key: string,
  expected: Expected,
): void {
  const what = `${[...query.layers ?? [], ...query.pools ?? []].join(" or ")} ${key}`;
  const share = SHARE_NAMES.find((name) => name === key);
  if (share !== undefined) {
    close(report.roles.share(share, query), expected as number, what);
    return;
  }
  const role = ROLE_NAMES.find((name) => name === key || `${name}_mean` === key);
  assert.ok(role !== undefined, key);
  const figure = report.roles.figure(role, query);
  assert.ok(figure !== undefined, `${what} is missing`);
  const actual = numbersOf(figure);
  if (typeof expected === "number") {
    for (const [name, value] of Object.entries(actual)) close(value, expected, `${what} ${name}`);
  } else {
    for (const [name, value] of Object.entries(expected)) {
      close(actual[name], value, `${what} ${name}`);
    }
  }
}

/** Exactly met at a value, and missed just below it. */
function gateHolds(report: ServerMetricsReport, name: string, value: number): void {
  const run = judgedRun(
    { results: new Map(), measurementError: undefined, gpu: undefined },
    report,
  );
  const slos = parseSlos([`${name}<=${value + 1e-9}`, `${name}<${value - 0.001}`]);
  const gates = judgeSlos(slos, run);
  assert.deepEqual(gates.map(({ met }) => met), [true, false], `${name}: ${gates[0]?.found}`);
}

function consumersAgree(
  report: ServerMetricsReport,
  endpoints: readonly ScrapedEndpoint[],
  expected: Readonly<Record<string, Expected>>,
): void {
  const lines = serverLines(report, report.roles, { width: 2000, hasTimes: true });
  const items = lines.flatMap((line) => line.slice(LABEL_WIDTH).split("   "));
  const timeline = serverTimeline(report.roles);
  const { levels } = new LiveServers().at(endpoints);
  const file = JSON.parse([...serverMetricsJson(report)].join(""));
  for (const [role, word, line] of SHOWN) {
    const wanted = expected[role];
    if (wanted === undefined) continue;
    const { mean, max } = typeof wanted === "number"
      ? { mean: wanted, max: wanted }
      : wanted as { readonly mean: number; readonly max: number };
    gateHolds(report, `server.${word}.max`, max);
    gateHolds(report, `server.${word}.avg`, mean);
    const isShare = role === "kv_usage";
    const shown = items.filter((item) => item.includes(`${ROLES[role].label} `))
      .map((item) => item.match(/\d[\d,.]*/g)?.map(Number) ?? []);
    const [avg, most] = isShare ? [mean * 100, max * 100] : [mean, max];
    assert.ok(
      // Without a maximum of its own, it is the mean.
      shown.some(([first = NaN, second = first]) =>
        Math.abs(first - avg) < 0.051 && Math.abs(second - most) < 0.051
      ),
      `${role} ${avg} ${most} in\n${lines.join("\n")}`,
    );
    const curves = timeline.filter((one) => one.role === line);
    const last = curves.map(({ values }) => values.at(-1) as number);
    const largest = curves.map(({ largest, values }) => (largest ?? values).at(-1) as number);
    if (isShare) close(Math.max(...largest), max, "largest in the chart");
    else close(last.reduce((sum, value) => sum + value, 0), mean, `${role} in the chart`);
    close(levels[line], max, `${role} in the live view`);
    const [, layer] = Object.entries<{ readonly stats: Readonly<Record<string, number>> }>(
      file.roles[role],
    )[0] ?? [];
    close(layer?.stats["avg"], mean, `${role} in JSON`);
    close(layer?.stats["max"], max, `${role} in JSON`);
  }
}

/** Numbers of pools, and objectives that name them by their role, or by the label that has it. */
function poolsHold(report: ServerMetricsReport, expected: EngineCase["expected"]): void {
  const labels = new Set(
    report.roles.engines.flatMap(({ engine }) => engine.poolLabel ?? []),
  );
  for (const [pool, numbers] of Object.entries(expected.roles ?? {})) {
    for (const [key, value] of Object.entries(numbers)) {
      holds(report, { pools: [pool as Pool] }, key, value);
      const role = ROLE_NAMES.find((name) => name === key);
      if (role === undefined || ROLES[role].kind !== "level") continue;
      const { mean, max } = typeof value === "number"
        ? { mean: value, max: value }
        : value as { readonly mean: number; readonly max: number };
      for (const label of [...labels, "role"]) {
        const selector = [[label, pool]] as const;
        if (report.roles.figure(role, { selector }) === undefined) continue;
        gateHolds(report, `server.${role}{${label}=${pool}}.max`, max);
        gateHolds(report, `server.${role}{${label}=${pool}}.avg`, mean);
      }
    }
  }
}

function idleOf({ endpoints }: EngineCase): boolean | null {
  const known = endpoints.map(({ after }) => pageIsIdle(after)).filter((idle) =>
    idle !== undefined
  );
  return known.length === 0 ? null : known.every((idle) => idle);
}

for (const folder of FOLDERS) {
  for (const one of casesIn(folder)) {
    Deno.test(`pages of ${one.name} give the same numbers everywhere (${folder})`, () => {
      const { expected } = one;
      const endpoints = endpointsOf(one);
      const report = reportOf(endpoints, { ...WINDOW, models: [one.model] });
      const { kinds } = expected;
      if (kinds !== undefined) {
        const seen = report.roles.engines.map(({ engine: { name } }) => name).sort();
        assert.deepEqual(seen, kinds);
      }
      for (const layer of LAYERS) {
        for (const [key, value] of Object.entries(expected[layer] ?? {})) {
          holds(report, { layers: [layer] }, key, value);
        }
      }
      for (const [key, value] of Object.entries(expected.system ?? {})) {
        const name = key as RoleName | ShareName;
        const found = isShare(name)
          ? report.roles.share(name)
          : clientFacing(report.roles, name, new Set())?.stats["total"];
        close(found, value as number, `system ${key}`);
      }
      const innermost = expected.engine ?? expected.front ?? expected.worker ?? {};
      consumersAgree(report, endpoints, innermost);
      poolsHold(report, expected);
      assert.equal(idleOf(one), expected.idle, "idle");
    });
  }
}
