import { type Engine, KEY_ROLES } from "../../telemetry/engines/engine.ts";
import { roleSource } from "../../telemetry/engines/role_series.ts";
import type { MetricReport, SeriesReport } from "./series_report.ts";
import type { SeenEngine } from "./server_roles.ts";

/** The metrics of an engine that are worth a table, the most telling first, as its pages name them. */
export function keyMetrics({ engine, metrics }: SeenEngine): MetricReport[] {
  return keyNames(engine, metrics).flatMap((name) => {
    const series = (metrics.get(name) ?? []).flatMap(({ report }): SeriesReport[] =>
      report === undefined ? [] : [report]
    );
    return [...Map.groupBy(series, (one) => one.name)].map(([name, some]) => {
      const { type, description, unit } = some[0] as SeriesReport;
      return { name, type, description, unit, series: some };
    });
  });
}

function keyNames(engine: Engine, metrics: SeenEngine["metrics"]): readonly string[] {
  if (engine.keyMetrics !== undefined) return engine.keyMetrics;
  const names = KEY_ROLES.flatMap((role) => roleSource(engine, metrics, role)?.names ?? []);
  return [...new Set(names)];
}
