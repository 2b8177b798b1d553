import { median } from "../median.ts";
import type { Level, Percentiles } from "./shootout_client.ts";
import type { ShootoutOutcome } from "./shootout_run.ts";

/** The runs of a client at a level. */
interface Entry {
  readonly client: string;
  readonly runs: readonly ShootoutOutcome[];
}

const MEGABYTE = 1e6;

/** What others may take of the cores during a run that counts. */
const MAX_OTHERS_SHARE = 0.25;

/** The runs that had the machine to themselves, nearly; whoever made the load. */
export function quietRuns(outcomes: readonly ShootoutOutcome[]): ShootoutOutcome[] {
  return outcomes.filter(({ machine }) => machine.othersShare <= MAX_OTHERS_SHARE);
}

/** Tables, versions and command lines, in Markdown. */
export function shootoutReport(
  outcomes: readonly ShootoutOutcome[],
  levels: readonly Level[],
  cores: number,
): string {
  const parts: string[] = [];
  for (const level of levels) {
    const entries = entriesOf(outcomes, level.name);
    if (entries.length === 0) continue;
    parts.push(
      level.failureShare > 0 ? failureTable(level, entries) : accuracyTable(level, entries),
    );
  }
  parts.push(commandLines(outcomes, cores));
  return parts.join("\n");
}

/** The clients that ran at a level, in the order of their first runs. */
export function entriesOf(outcomes: readonly ShootoutOutcome[], level: string): Entry[] {
  const runs = Map.groupBy(
    outcomes.filter((outcome) => outcome.level === level),
    ({ client }) => client,
  );
  return [...runs].map(([client, each]) => ({ client, runs: each }));
}

function accuracyTable({ name, requests, tokens }: Level, entries: readonly Entry[]): string {
  return `**${name}**: ${requests} requests of ${tokens} tokens; medians of the rounds; ` +
    `times in ms, reported / true.\n\n` + markdownTable(
      [
        ...[
          "client",
          "rounds",
          "TTFT p50",
          "TTFT p99",
          "TTFT p99 error",
          "ITL p50",
          "ITL p99",
        ],
        ...["CPU s", "peak MB", "first request s", "steal %", "others %"],
      ],
      entries.map(({ client, runs }) => [
        client,
        `${runs.length}`,
        pair(runs, "ttft", "p50"),
        pair(runs, "ttft", "p99"),
        figure(runs, ({ reported, ttft }) => reported.ttft.p99 - ttft.p99, 1),
        pair(runs, "itl", "p50", 2),
        pair(runs, "itl", "p99", 2),
        figure(runs, ({ cpuSeconds }) => cpuSeconds, 1),
        figure(runs, ({ peakBytes }) => peakBytes / MEGABYTE, 0),
        figure(runs, ({ firstRequestSeconds }) => firstRequestSeconds, 1),
        figure(runs, ({ machine }) => machine.stealShare * 100, 0),
        figure(runs, ({ machine }) => machine.othersShare * 100, 0),
      ]),
    );
}

function failureTable({ name, requests }: Level, entries: readonly Entry[]): string {
  const sum = (runs: readonly ShootoutOutcome[], value: (run: ShootoutOutcome) => number) =>
    `${runs.reduce((total, run) => total + value(run), 0)}`;
  return `**${name}**: ${requests} requests per round; failures over all rounds.\n\n` +
    markdownTable(
      ["client", "rounds", "injected", "reported as failed", "reported as succeeded"],
      entries.map(({ client, runs }) => [
        client,
        `${runs.length}`,
        sum(runs, ({ injected }) => injected),
        sum(runs, ({ reported }) => reported.failed),
        sum(runs, ({ reported }) => reported.succeeded),
      ]),
    );
}

function commandLines(outcomes: readonly ShootoutOutcome[], cores: number): string {
  const last = new Map(outcomes.map((outcome) => [outcome.client, outcome]));
  const lines = [...last.values()].map(({ client, version, commandLine }) =>
    `${client} ${version}:\n\n\`\`\`sh\n${commandLine}\n\`\`\`\n`
  );
  const days = outcomes.map(({ at }) => at.slice(0, 10)).sort();
  return `Versions and command lines, on ${cores} cores, ${days.at(-1)}:\n\n${lines.join("\n")}`;
}

function pair(
  runs: readonly ShootoutOutcome[],
  metric: "ttft" | "itl",
  percentile: keyof Percentiles,
  decimals = 1,
): string {
  return `${figure(runs, ({ reported }) => reported[metric][percentile], decimals)} / ${
    figure(runs, (run) => run[metric][percentile], decimals)
  }`;
}

function figure(
  runs: readonly ShootoutOutcome[],
  value: (run: ShootoutOutcome) => number,
  decimals: number,
): string {
  const middle = median(runs.map(value));
  return Number.isNaN(middle) ? "-" : middle.toFixed(decimals);
}

function markdownTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(" | ")} |\n`;
  const rule = head.map((_, column) => column === 0 ? "---" : "--:");
  return [head, rule, ...rows].map(line).join("");
}
