// deno-lint-ignore-file no-console
/**
 * Holds the directions in which the rooms of `src/` may import from each other.
 *
 * A run's data flows from the command line to the files; a room may use the rooms that come before
 * it in the making of that data, and what it calls, never the other way round, and nothing imports
 * the command line.
 */

/** What each room may import, besides itself. Types count as well. */
const ALLOWED: Readonly<Record<string, readonly string[]>> = {
  "statistics": [],
  "prometheus": ["http", "load", "sandbox"],
  "timeseries": ["prometheus", "statistics"],
  "record": [],
  "sse": [],
  "sandbox": ["http", "plan"],
  "http": [],
  "endpoint": ["record", "sse"],
  "plan": ["endpoint", "http", "load", "metrics", "prometheus", "sandbox", "statistics"],
  "dataset": ["endpoint", "http", "plan", "statistics"],
  "load": ["dataset", "endpoint", "http", "plan", "record", "sandbox", "statistics"],
  "metrics": ["plan", "record", "statistics"],
  "report": ["metrics", "record", "statistics", "timeseries"],
  "export": [
    ...["dataset", "metrics", "plan", "prometheus", "record", "report", "sse", "statistics"],
    "timeseries",
  ],
  "ui": ["metrics", "report", "run", "statistics"],
  "results": [
    ...["dataset", "endpoint", "export", "load", "metrics", "plan", "record", "report", "sandbox"],
    ...["prometheus", "statistics", "timeseries", "ui"],
  ],
  "run": [
    ...["dataset", "export", "http", "load", "plan", "prometheus", "report", "results"],
    "sandbox",
  ],
  "mock": ["dataset", "endpoint", "load", "statistics"],
  "cli": [
    "export",
    "load",
    "mock",
    "plan",
    "prometheus",
    "results",
    "run",
    "sandbox",
    "statistics",
    "ui",
  ],
};

const root = new URL("../src/", import.meta.url);
const problems: string[] = [];
for (const room of Deno.readDirSync(root)) {
  if (!room.isDirectory) continue;
  const allowed = ALLOWED[room.name];
  if (allowed === undefined) problems.push(`src/${room.name}/ is no known room`);
  for (const file of Deno.readDirSync(new URL(`${room.name}/`, root))) {
    if (!file.name.endsWith(".ts")) continue;
    const path = `${room.name}/${file.name}`;
    const text = Deno.readTextFileSync(new URL(path, root));
    for (const [, target] of text.matchAll(/(?:from|import\(?|new URL\() ?"(\.\.?\/[^"]+)"/g)) {
      const resolved = new URL(target as string, new URL(path, root)).pathname;
      const other = resolved.slice(root.pathname.length).split("/")[0] as string;
      if (!resolved.startsWith(root.pathname) || !resolved.endsWith(".ts")) continue;
      if (other !== room.name && !(allowed ?? []).includes(other)) {
        problems.push(`src/${path} imports from ${other}/`);
      }
    }
  }
}
for (const problem of problems) console.error(problem);
console.log(`${problems.length === 0 ? "Import directions hold" : `${problems.length} problems`}`);
Deno.exit(problems.length === 0 ? 0 : 1);
