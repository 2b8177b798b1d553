// deno-lint-ignore-file no-console
/**
 * How fast metrics pages are read: the first page, for which everything is new, and later ones, on
 * which only numbers change.
 *
 *     deno run --allow-all scripts/bench/cases/exposition_parser.ts [--python PATH] [--go]
 *
 * `--python` names an interpreter that has prometheus_client, `--go` builds Prometheus' own parser
 * in a temporary directory, for which modules are fetched. Both read the same pages.
 */

import { parseArgs } from "node:util";
import { parseExposition } from "../../../src/telemetry/prometheus/parse_exposition.ts";
import { TextParser } from "../../../src/telemetry/prometheus/text_parser.ts";
import { renderTable } from "../../../src/report/console/text_table.ts";
import { buildTextparse } from "../go_textparse.ts";
import { median } from "../median.ts";
import { metricsPage } from "../metrics_pages.ts";
import { programOutput } from "../../process/program_output.ts";

/** Other parsers to measure. */
export interface ExpositionBenchOptions {
  /** A Python interpreter that has prometheus_client. */
  readonly python?: string;
  /**
   * Build and measure Prometheus' own parser; `go` must be at hand.
   * @default false
   */
  readonly go?: boolean;
}

/** Engines of a server, and so the size of its page: 245 kB, 445 kB, 2 MB. */
const ENGINES = [8, 15, 67];
const ROUNDS = 60;
const PEER_ROUNDS = 15;
/** Pages of a run before later ones count. */
const SETTLING = 2;
const TABLE_WIDTH = 150;

const PYTHON = `
import statistics, sys, time
from prometheus_client.parser import text_string_to_metric_families
text = open(sys.argv[1]).read()
times = []
for _ in range(int(sys.argv[2])):
    start = time.perf_counter()
    for family in text_string_to_metric_families(text):
        pass
    times.append((time.perf_counter() - start) * 1000)
print(statistics.median(times))
`;

/** Measures and prints a table. */
export async function benchExpositionParser(options: ExpositionBenchOptions = {}): Promise<void> {
  const folder = await Deno.makeTempDir({ prefix: "exposition-bench-" });
  try {
    const textparse = options.go ? await buildTextparse(folder) : undefined;
    const rows: string[][] = [];
    for (const engines of ENGINES) {
      const file = `${folder}/page-${engines}.txt`;
      await Deno.writeTextFile(file, metricsPage(engines, 0));
      rows.push(await measurePage(engines, file, options.python, textparse));
    }
    const { deno, v8 } = Deno.version;
    console.log(`Deno ${deno}, V8 ${v8}; times in ms, median of ${ROUNDS} pages`);
    console.log(renderTable({
      head: [
        ...["page", "samples", "first page of a process", "first page", "later pages", "MB/s"],
        ...["library", "Python", "Go", "Go with labels"],
      ],
      rows,
      flexible: 2,
      minFlexible: 12,
      alignments: ["left", ...Array.from({ length: 9 }, (): "right" => "right")],
    }, TABLE_WIDTH));
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

async function measurePage(
  engines: number,
  file: string,
  python: string | undefined,
  textparse: string | undefined,
): Promise<string[]> {
  const encoder = new TextEncoder();
  const pages = Array.from(
    { length: ROUNDS },
    (_, scrape) => encoder.encode(metricsPage(engines, scrape)),
  );
  const size = (pages[0] as Uint8Array).length;
  const parser = new TextParser();
  const later: number[] = [];
  let samples = 0;
  for (const [round, page] of pages.entries()) {
    const time = timeOf(() => samples = parser.parse(page).count);
    if (round >= SETTLING) later.push(time);
  }
  const cold = pages.slice(0, PEER_ROUNDS).map((page) =>
    timeOf(() => new TextParser().parse(page))
  );
  const library = pages.slice(0, PEER_ROUNDS).map((page) => timeOf(() => parseExposition(page)));
  const firsts: number[] = [];
  for (let round = 0; round < 5; round++) firsts.push(await firstPageOfProcess(file));
  const warm = median(later);
  const peer = async (command: string | undefined, args: readonly string[]) => {
    if (command === undefined) return "";
    const time = Number(await programOutput(command, args));
    return `${time.toFixed(2)} (${(time / warm).toFixed(1)}x)`;
  };
  return [
    `${(size / 1000).toFixed(0)} kB`,
    String(samples),
    median(firsts).toFixed(2),
    median(cold).toFixed(2),
    warm.toFixed(3),
    (size / 1000 / warm).toFixed(0),
    median(library).toFixed(2),
    await peer(python, ["-c", PYTHON, file, String(PEER_ROUNDS)]),
    await peer(textparse, [file, String(ROUNDS)]),
    await peer(textparse, [file, String(ROUNDS), "labels"]),
  ];
}

/** Time of the first page that a new process reads, in which nothing is compiled yet. */
async function firstPageOfProcess(file: string): Promise<number> {
  const script = new URL(import.meta.url).pathname;
  const args = ["run", "--quiet", "--allow-read", script, "--first-page", file];
  return Number(await programOutput(Deno.execPath(), args));
}

function timeOf(work: () => void): number {
  const start = performance.now();
  work();
  return performance.now() - start;
}

if (import.meta.main) {
  const { values } = parseArgs({
    args: Deno.args,
    options: {
      "python": { type: "string" },
      "go": { type: "boolean" },
      "first-page": { type: "string" },
    },
  });
  const file = values["first-page"];
  if (file !== undefined) {
    const page = Deno.readFileSync(file);
    console.log(timeOf(() => new TextParser().parse(page)));
  } else {
    await benchExpositionParser({
      ...(values.python === undefined ? {} : { python: values.python }),
      go: values.go === true,
    });
  }
}
