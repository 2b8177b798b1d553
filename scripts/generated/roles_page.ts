/** The page `docs/server_roles.md`, made from the table of engines. */

import type { Engine } from "../../src/telemetry/engines/engine.ts";
import { ENGINES } from "../../src/telemetry/engines/engines.ts";
import type { RoleSource } from "../../src/telemetry/engines/role_source.ts";
import {
  ROLE_NAMES,
  type RoleKind,
  type RoleName,
  ROLES,
  SHARE_NAMES,
  SHARES,
} from "../../src/telemetry/engines/roles.ts";

const INTRODUCTION =
  `<!-- Made from the table of engines by scripts/build_generated.ts, not by hand. -->

# Server roles

Engines have different names for the same thing. A _role_ is one name for all of them: \`running\` is
\`vllm:num_requests_running\` as well as \`sglang:num_running_reqs\`. Console, charts, the live view,
\`server_metrics_export.json\` and [gates](gates.md) use the same numbers.

\`\`\`sh
inferometer profile --url localhost:8000 --streaming --request-count 64 --slo "server.running.max<100" "server.kv_cache_usage.avg<90%"
\`\`\`

## How numbers are put together

- **Instances** are the series of a role on all endpoints: ranks, replicas, GPUs. Idle instances
  count. Copies are left out: ranks that report the values of another rank, series of a router about
  other servers, and a process that is scraped at two URLs.
- **Levels** are added up over the instances at each scrape; statistics are those of the sum. Of
  shares such as \`kv_cache_usage\`, \`avg\` is the mean over all instances and the whole run, \`min\` and
  \`max\` are the smallest and the largest value of an instance at any time.
- **Counts** are sums of increases. **Times** are means of all observations; percentiles are
  estimated from the buckets of all instances if these have the same bounds.
- **Layers.** A router, a worker and an engine count the same request. A role is that of the
  innermost layer that has it: the engine, else the worker, else the front. The client is compared
  with the outermost layer.
`;

const STATISTICS: Readonly<Record<RoleKind, string>> = {
  level: "\`avg\`, \`min\`, \`max\`, \`std\`, \`p50\` ...",
  count: "\`total\`, \`rate\`",
  time: "\`avg\`, \`count\`, \`sum\`, \`p50\` ...",
};

/** The page. */
export function rolesPage(): string {
  return [
    INTRODUCTION,
    "## Engines\n",
    enginesTable(),
    "\n## Roles\n",
    rolesTable(),
    "\n## Ratios\n",
    sharesTable(),
    "\n## Metrics of each engine\n",
    "The first entry that an endpoint exposes is used. Counters are listed without \`_total\`.\n",
    ...ENGINES.filter(({ roles }) => Object.keys(roles).length > 0).map(engineSection),
  ].join("\n");
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [head, head.map(() => "---"), ...rows].map((row) => `| ${row.join(" | ")} |`).join("\n");
}

function code(text: string): string {
  return `\`${text}\``;
}

function enginesTable(): string {
  return table(
    ["engine", "layer", "prefixes", "metrics at", "requires"],
    ENGINES.map(({ name, layer, prefixes, paths, ownPort, needs, roles }) => [
      name,
      layer,
      prefixes.map(code).join(", ") || "none",
      Object.keys(roles).length === 0
        ? "none"
        : [...paths.map(code), ...(ownPort === undefined ? [] : [`port ${ownPort}`])].join(", "),
      needs === undefined ? "" : code(needs),
    ]),
  );
}

function rolesTable(): string {
  return table(
    ["role", "meaning", "statistics"],
    ROLE_NAMES.map((name) => {
      const { aliases = [], label, kind } = ROLES[name];
      return [[name, ...aliases].map(code).join(", "), label, STATISTICS[kind]];
    }),
  );
}

function sharesTable(): string {
  return table(
    ["ratio", "meaning", "formula"],
    SHARE_NAMES.map((name) => {
      const { part, whole, plus, title } = SHARES[name];
      const formula = `${code(part)} / ${code(whole)}`;
      return [code(name), title, plus === undefined ? formula : `${plus} + ${formula}`];
    }),
  );
}

function engineSection({ name, roles }: Engine): string {
  const rows = Object.entries(roles).map(([role, sources]) => [
    code(role as RoleName),
    sources.map(sourceText).join("<br>"),
  ]);
  return `### ${name}\n\n${table(["role", "metrics"], rows)}\n`;
}

function sourceText({ names, where = {}, label, valueLabel }: RoleSource): string {
  const conditions = Object.entries(where).map(([key, values]) => `${key}=${values.join(" or ")}`);
  const selector = conditions.length === 0 ? "" : `{${conditions.join(",")}}`;
  const text = names.map((name) => code(name + selector)).join(" + ");
  if (label !== undefined) return `${text} by ${code(label)}`;
  return valueLabel === undefined ? text : `label ${code(valueLabel)} of ${text}`;
}
