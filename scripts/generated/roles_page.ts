/** The page `docs/server_roles.md`, generated from the table of engines. */

import { ROLE_MEANINGS } from "./role_meanings.ts";
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

const INTRODUCTION = `<!-- Generated from the table of engines by scripts/build_generated.ts. -->

# Server roles

Use one name for a metric of any engine. A _role_ is such a name: \`running\` is
\`vllm:num_requests_running\` for vLLM and \`sglang:num_running_reqs\` for SGLang. Roles are
objectives for [gates](gates.md):

\`\`\`sh
inferometer profile --url localhost:8000 --streaming --concurrency 8 --request-count 64 --slo "server.running.max<100" "server.kv_cache_usage.avg<90%"
\`\`\`

\`\`\`text
server  running 8 of 8   waiting 0   KV cache 0.9 %
slo     server.running.max < 100 requests  8 requests  met
        server.kv_cache_usage.avg < 90 %       0.91 %  met
\`\`\`

An objective is \`server.\`, a role, and a statistic of the role. Console, charts, the live view and
\`roles\` in \`server_metrics_export.json\` have the same values.

## How values are combined

- **Instances** are the series of a role on all endpoints: ranks, replicas, GPUs. Idle instances
  count. Copies are excluded: ranks that report the values of another rank, series of a router about
  other servers, and a process that is scraped at two URLs.
- **Levels** are added over the instances at each scrape. Statistics are those of the sum.
- **Fractions** such as \`kv_cache_usage\` are not added. \`avg\` is the mean over all instances and the
  whole run; \`min\` and \`max\` are the smallest and largest value of any instance.
- **Counts** are sums of increases. **Times** are means of all observations. Percentiles are
  estimated from the buckets of all instances if these have equal bounds.
- **Restarts.** If a server restarts, a later \`process_start_time_seconds\` shows it; without that
  metric, a decrease of counters does. All counters of the process then begin again at zero. Totals of single metrics
  in files are differences, as in AIPerf.
- **Layers.** A router, a worker and an engine count one request several times. A role comes from
  the innermost layer that reports it: the engine, otherwise the worker, otherwise the front. The
  client is compared with the outermost front that reports a metric; of several fronts in a chain,
  that is the first one. \`{layer=front}\` in an objective selects a layer, as in
  \`server.running{layer=front}.max<100\`.
- **Pools.** In a prefill/decode deployment, both instances count every request and its prompt. The
  client is compared with the prompts of the prefill pool and with the outputs of the decode pool.
  Cache hit rates are those of the prefill pool: a decode instance receives its KV cache.
  \`{role=decode}\` selects a pool, as in \`server.kv_cache_usage{role=decode}.max<90%\`;
  \`{role=front}\` selects fronts, as \`{layer=front}\` does.

## Pools

State the pool of an endpoint in front of its URL: \`prefill=URL\`, \`decode=URL\`, \`unified=URL\`, or
\`front=URL\` for a router that has metrics under an engine's names:

\`\`\`sh
inferometer profile --url localhost:8000 --streaming --concurrency 8 --request-count 64 --server-metrics front=localhost:8000 prefill=localhost:8101 decode=localhost:8201
\`\`\`

Without that, pools are found by labels (\`engine_type\` of SGLang, \`dynamo_component\` of Dynamo), or by
counts: a prefill instance generates one token per request. Console, \`roles\` and \`server_truth\` in
JSON, and the page have the metrics of each pool.

## Troubleshooting

| symptom                            | cause                                           | fix                                              |
| ---------------------------------- | ----------------------------------------------- | ------------------------------------------------ |
| an objective has \`no value\`, or is refused | the engine does not report the role | check the tables below, and [servers](servers.md) |
| a sum is too small                 | some ranks or replicas are not scraped          | name all endpoints with \`--server-metrics\`     |
| the line \`server\` is missing     | metrics are disabled, or the engine is unknown  | enable them, see column \`requires\`             |
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
    ["role", "meaning", "name in reports", "statistics"],
    ROLE_NAMES.map((name) => {
      const { aliases = [], label, kind } = ROLES[name];
      const names = [name, ...aliases].map(code).join(", ");
      return [names, ROLE_MEANINGS[name], label, STATISTICS[kind]];
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
