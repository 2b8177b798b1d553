/** What makes two runs measurements of different things, in words: settings, servers, labels. */

import type { ServerInfo } from "../../report/server_info/server_info.ts";

/** Settings that do not change what a server is asked to do. */
const IGNORED: readonly RegExp[] = [
  /^(artifacts|server_metrics|runtime|slos|endpoint\.(urls|timeout|headers|use_server_token_count))\b/,
  // Names that programs give by themselves.
  /^phases\.\w+\.(name|kind|exclude_from_results)$/,
  /^datasets\.\d+\.name$/,
  // A seed selects a sample of the same prompts and arrivals.
  /random_seed$/,
];

/** What settings are called, by the ends of their paths. */
const NAMES: readonly (readonly [RegExp, string])[] = [
  [/^changed_by_hand$/, "load changed by hand"],
  [/^models\./, "model"],
  [/^tokenizer\./, "tokenizer"],
  [/^endpoint\.type$/, "kind of API"],
  [/^endpoint\./, ""],
  [/^datasets\.\d+\.prompts\./, "prompts: "],
  [/^datasets\.\d+\./, "prompts: "],
  [/^phases\.profiling\./, "load: "],
  [/^phases\.warmup\./, "warm-up: "],
];

/** A setting that two runs do not have in common. */
export interface SettingDifference {
  readonly name: string;
  readonly before: string;
  readonly after: string;
}

/**
 * Where settings differ. Settings of different programs are compared as far as both have them.
 */
export function planDifferences(
  before: Readonly<Record<string, unknown>>,
  after: Readonly<Record<string, unknown>>,
): SettingDifference[] {
  const a = flattened(before);
  const b = flattened(after);
  const paths = [...new Set([...a.keys(), ...b.keys()])].filter((path) =>
    !IGNORED.some((pattern) => pattern.test(path))
  );
  return paths.flatMap((path) => {
    const [one, other] = [a.get(path), b.get(path)];
    if (one === other) return [];
    if (path === "changed_by_hand") {
      return [{ name: nameOf(path), before: one ?? "no", after: other ?? "no" }];
    }
    // What only one of them has may be the default of the other.
    if ((one === undefined || other === undefined) && !/^(phases|datasets)\./.test(path)) return [];
    return [{ name: nameOf(path), before: one ?? "not set", after: other ?? "not set" }];
  });
}

function nameOf(path: string): string {
  const known = NAMES.find(([pattern]) => pattern.test(path));
  if (known === undefined) return path.replaceAll("_", " ");
  const [pattern, name] = known;
  const isWhole = name !== "" && !name.endsWith(": ");
  return isWhole ? name : name + path.replace(pattern, "").replaceAll(/[_.]/g, " ");
}

/** Values by their paths; phases by their kind instead of their place. */
function flattened(value: unknown, path = "", found = new Map<string, string>()) {
  if (typeof value !== "object" || value === null) {
    if (value !== undefined && value !== null) found.set(path, String(value));
    return found;
  }
  for (const [key, entry] of Object.entries(value)) {
    const kind = (entry as { kind?: unknown } | null)?.kind;
    const name = /^phases$/.test(path) && typeof kind === "string" ? kind : key;
    flattened(entry, path === "" ? name : `${path}.${name}`, found);
  }
  return found;
}

/** What is another for each process, or each machine, and no setting of a server. */
const OF_ITS_PLACE =
  /(^|\.)(host|port|[a-z_]*_(port|addr|address|host)|pid|hostname|instance|seed|nnodes|node_rank)$/;

/** Facts that are told first, if they differ. */
const FIRST =
  /^(version|owned_by|models|(server_info|v2|props|info)\.(version|build_info|model_path))$/;

/**
 * Where servers differ by what they said of themselves: `version: 0.32.0 and 0.33.0`. A fact that
 * only one of them told is no difference: a newer version tells more.
 */
export function serverDifferences(
  before: readonly ServerInfo[],
  after: readonly ServerInfo[],
): string[] {
  const differing = before.flatMap(({ facts }, at) => {
    const others = new Map(after[at]?.facts);
    // Metrics pages name their facts by the metric; of several servers each is told apart.
    const server = before.length > 2 ? `server ${at + 1}, ` : "";
    return facts.flatMap(([name, one]) => {
      const other = others.get(name);
      if (other === undefined || other === one || OF_ITS_PLACE.test(name)) return [];
      return [{ name, text: `${server}${name}: ${one} and ${other}` }];
    });
  });
  const isFirst = ({ name }: { readonly name: string }) => FIRST.test(name);
  return [...differing.filter(isFirst), ...differing.filter((one) => !isFirst(one))]
    .map(({ text }) => text);
}

/** Where labels differ. */
export function tagDifferences(
  before: readonly (readonly [name: string, value: string])[],
  after: readonly (readonly [name: string, value: string])[],
): string[] {
  const [a, b] = [new Map(before), new Map(after)];
  return [...new Set([...a.keys(), ...b.keys()])].sort().flatMap((name) =>
    a.get(name) === b.get(name)
      ? []
      : [`${name}: ${a.get(name) ?? "not set"} and ${b.get(name) ?? "not set"}`]
  );
}
