/** Settings of two runs that make them measurements of different things, in words. */

/** Settings that do not change what a server is asked to do. */
const IGNORED =
  /^(artifacts|server_metrics|runtime|slos|endpoint\.(urls|timeout|headers|use_server_token_count))\b/;

/** What settings are called, by the ends of their paths. */
const NAMES: readonly (readonly [RegExp, string])[] = [
  [/random_seed$/, "seed"],
  [/^models\./, "model"],
  [/^tokenizer\./, "tokenizer"],
  [/^endpoint\.type$/, "kind of API"],
  [/^endpoint\./, ""],
  [/^datasets\.\d+\.prompts\./, "prompts: "],
  [/^datasets\.\d+\./, "prompts: "],
  [/^phases\.profiling\./, "load: "],
  [/^phases\.warmup\./, "warm-up: "],
];

/**
 * Where settings differ, a sentence each: `seed: 1 and 2`. Settings of different programs are
 * compared as far as both have them.
 */
export function planDifferences(
  before: Readonly<Record<string, unknown>>,
  after: Readonly<Record<string, unknown>>,
): string[] {
  const a = flattened(before);
  const b = flattened(after);
  const paths = [...new Set([...a.keys(), ...b.keys()])].filter((path) => !IGNORED.test(path));
  return paths.flatMap((path) => {
    const [one, other] = [a.get(path), b.get(path)];
    if (one === other) return [];
    // What only one of them has may be the default of the other.
    if ((one === undefined || other === undefined) && !/^(phases|datasets)\./.test(path)) return [];
    return [`${nameOf(path)}: ${one ?? "not set"} and ${other ?? "not set"}`];
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
