/** Pages of every engine of the table: what a server with these metrics could show. */

import { BRIEF_ROLES, type Engine, KEY_ROLES } from "../../src/telemetry/engines/engine.ts";
import { ENGINES } from "../../src/telemetry/engines/engines.ts";
import type { RoleSource } from "../../src/telemetry/engines/role_source.ts";
import { isShare, type RoleName, ROLES, SHARES } from "../../src/telemetry/engines/roles.ts";

/** Engines that have a metrics page. */
export const SHOWN_ENGINES = ENGINES.filter(({ roles }) => Object.keys(roles).length > 0);

/** Type of a metric. */
type MetricType = "gauge" | "counter" | "histogram";

/** Roles that the short report of an engine shows, ratios by their parts. */
export function briefRoles(engine: Engine): RoleName[] {
  const names = (engine.brief ?? BRIEF_ROLES).flatMap((name) =>
    isShare(name) ? [SHARES[name].part, SHARES[name].whole] : [name]
  );
  return [...new Set(names)].filter((role) => engine.roles[role] !== undefined);
}

/** Key metrics of an engine; of one that names none, the first metrics of its roles. */
export function keyNames({ keyMetrics, roles }: Engine): readonly string[] {
  return keyMetrics ?? [...new Set(KEY_ROLES.flatMap((role) => roles[role]?.[0]?.names ?? []))];
}

/** The type that a metric has by its role; by its name if it has none. */
export function typeOf({ roles }: Engine, name: string): MetricType {
  for (const [role, sources] of Object.entries(roles)) {
    const source = sources.find(({ names }) => names.includes(name));
    if (source !== undefined) return sourceType(role as RoleName, source);
  }
  if (/_(seconds|ms)$/.test(name)) return "histogram";
  return /(_count|_us|_per_gpu|_per_model)$/.test(name) ? "counter" : "gauge";
}

function sourceType(role: RoleName, { together }: RoleSource): MetricType {
  if (together === "histogram") return "histogram";
  return ROLES[role].kind === "level" ? "gauge" : "counter";
}

/** Lines of a metric at a second: a level of at most 4, a total that grows, 100 ms each. */
export function metricLines(
  name: string,
  type: MetricType,
  second: number,
  labels: readonly string[] = [],
): string {
  const set = (...more: string[]) => {
    const all = [...labels, ...more];
    return all.length === 0 ? "" : `{${all.join(",")}}`;
  };
  switch (type) {
    case "gauge":
      return `# TYPE ${name} gauge\n${name}${set()} ${second % 5}\n`;
    case "counter":
      return `# TYPE ${name} counter\n${name}${set()} ${second * 1234}\n`;
    case "histogram": {
      const bound = name.endsWith("_ms") ? 100 : 0.1;
      return `# TYPE ${name} histogram\n${name}_bucket${set(`le="${bound}"`)} ${second * 9}\n` +
        `${name}_bucket${set('le="+Inf"')} ${second * 10}\n` +
        `${name}_sum${set()} ${second * 10 * bound}\n${name}_count${set()} ${second * 10}\n`;
    }
  }
}

/** Lines of everything that the short report of an engine is made from, each metric once. */
export function briefPage(engine: Engine, second: number): string {
  const shown = new Set<string>();
  return briefRoles(engine).flatMap((role) => {
    const source = engine.roles[role]?.[0] as RoleSource;
    const labels = Object.entries(source.where ?? {}).map(([label, [value = ""]]) =>
      `${label}="${value}"`
    );
    return source.names.flatMap((name) => {
      const key = `${name} ${labels.join()}`;
      if (shown.has(key)) return [];
      shown.add(key);
      const type = sourceType(role, source);
      if (source.unit === "ratio") {
        return [`# TYPE ${name} gauge\n${name}{${labels}} ${second / 100}\n`];
      }
      return [metricLines(name, type, second, labels)];
    });
  }).join("");
}
