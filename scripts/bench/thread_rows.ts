import { BARE_LOOP } from "./bare_loop_client.ts";
import type { BenchRow } from "./bench_row.ts";
import type { LoadRun } from "./load_run.ts";
import type { Thread } from "./process_tree.ts";
import { OURS } from "./product.ts";
import { machineOf } from "./rounds.ts";

/** What a thread does, by its name; undefined for one that is not told apart. */
type Role = "reading" | "canaries" | "results" | "engine";

const LABELS: Readonly<Record<Role, string>> = {
  "reading": "sending and reading",
  "canaries": "canaries",
  "results": "records and results",
  "engine": "the engine's own threads",
};

/** The product's threads in the order of their start; those after these make load. */
const FIRST_WORKERS: readonly Role[] = ["results", "canaries"];

function roleOf(client: string, name: string): Role | undefined {
  if (name.startsWith("V8 ")) return "engine";
  if (client === BARE_LOOP) return name === "main" ? "reading" : undefined;
  const worker = /^worker-(\d+)$/.exec(name);
  if (worker === null) return undefined;
  return FIRST_WORKERS[Number(worker[1]) - 1] ?? "reading";
}

/**
 * Where the CPU time of an event goes, for the product and the bare loop: what the product spends on
 * reading beyond the bare loop is its own, and so is the rest.
 * @param what the load, as the labels call it
 */
export function threadRows(
  runs: ReadonlyMap<string, readonly LoadRun[]>,
  what: string,
): BenchRow[] {
  const shown = new Map([...runs].filter(([name]) => name === OURS || name === BARE_LOOP));
  return (Object.keys(LABELS) as Role[]).map((role) => ({
    label: `- of that ${LABELS[role]}, ${what}`,
    unit: "us",
    values: new Map(
      [...shown].map(([client, each]) => [
        client,
        each.map(({ cost, truth }) => secondsOf(cost.threads, client, role) * 1e6 / truth.events),
      ]),
    ),
    targets: [],
    machine: machineOf(shown),
  }));
}

function secondsOf(threads: readonly Thread[], client: string, role: Role): number {
  return threads.filter(({ name }) => roleOf(client, name) === role)
    .reduce((sum, { cpuSeconds }) => sum + cpuSeconds, 0);
}
