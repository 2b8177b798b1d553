// deno-lint-ignore-file no-console
/**
 * Compares what load clients report with the truth of the server that they measure: the same load,
 * one client after the other, rounds interleaved.
 *
 *     deno run --allow-all scripts/bench/shootout.ts --clients DIR --install --write
 */

import { parseArgs } from "node:util";
import { MachineWatch } from "./machine_use.ts";
import type { Level } from "./shootout/shootout_client.ts";
import { installedClients } from "./shootout/shootout_clients.ts";
import { shootoutPicture } from "./shootout/shootout_picture.ts";
import { quietRuns, shootoutReport } from "./shootout/shootout_report.ts";
import { runShootout, type ShootoutOutcome } from "./shootout/shootout_run.ts";

const USAGE = `deno run --allow-all scripts/bench/shootout.ts --clients DIR [options]

  --clients DIR    folder of the clients; mockllm is the load target if it is there, else the
                   product's own mock server
  --install        install the clients first: AIPerf, sglang-bench, GuideLLM, vLLM
  --only NAME,...  these clients alone, by the beginnings of their names
  --levels N,...   these loads alone, by their places from 1
  --rounds N       rounds (default 3); each begins with another client
  --binary PATH    measure this executable instead of the sources
  --results FILE   append each run to this file, and report all that it has
  --write          put tables and chart into docs/client_comparison.md
`;

const NO_FAILURES = { tokens: 100, serverMetrics: false, failureShare: 0 };
const LEVELS: readonly Level[] = [
  { name: "10 streams", concurrency: 10, requests: 120, ...NO_FAILURES },
  { name: "100 streams", concurrency: 100, requests: 600, ...NO_FAILURES },
  { name: "400 streams", concurrency: 400, requests: 1600, ...NO_FAILURES },
  {
    name: "20 streams, every fifth request fails",
    concurrency: 20,
    requests: 300,
    tokens: 20,
    serverMetrics: false,
    failureShare: 0.04,
  },
];

const DOCUMENT = new URL("../../docs/client_comparison.md", import.meta.url);
const PICTURE = new URL("../../docs/shootout.svg", import.meta.url);
/** What stands between these lines is written by this script. */
const BEGIN = "<!-- shoot-out: written by scripts/bench/shootout.ts -->";
const END = "<!-- end of the shoot-out -->";

const { values } = parseArgs({
  args: Deno.args,
  options: {
    clients: { type: "string" },
    install: { type: "boolean", default: false },
    only: { type: "string" },
    levels: { type: "string" },
    rounds: { type: "string", default: "3" },
    binary: { type: "string" },
    results: { type: "string" },
    write: { type: "boolean", default: false },
  },
});
const rounds = Number(values.rounds);
if (values.clients === undefined || !Number.isInteger(rounds) || rounds < 0) {
  console.error(USAGE);
  Deno.exit(2);
}
if (values.install) await install(values.clients);
const folder = Deno.realPathSync(values.clients);
const clients = (await installedClients(folder, values.binary)).filter(({ name }) =>
  values.only === undefined ||
  values.only.split(",").some((wanted) => name.toLowerCase().startsWith(wanted.toLowerCase()))
);
const levels = LEVELS.filter((_, index) =>
  values.levels === undefined || values.levels.split(",").includes(`${index + 1}`)
);
const machine = new MachineWatch();
const failures: string[] = [];
let outcomes: ShootoutOutcome[] = [];
for (let round = 0; round < rounds; round++) {
  for (const level of levels) {
    for (let turn = 0; turn < clients.length; turn++) {
      const client = clients[(round + turn) % clients.length] as typeof clients[number];
      console.error(`${level.name}: ${client.name}, ${round + 1} of ${rounds}`);
      try {
        const outcome = await runShootout(client, level, round, folder, machine);
        outcomes.push(outcome);
        if (values.results !== undefined) {
          const line = `${JSON.stringify(outcome)}\n`;
          await Deno.writeTextFile(values.results, line, { append: true });
        }
      } catch (error) {
        failures.push(`${level.name}: ${(error as Error).message}`);
        console.error(failures.at(-1));
      }
    }
  }
}
if (values.results !== undefined) {
  const text = await Deno.readTextFile(values.results);
  outcomes = text.trimEnd().split("\n").map((line) => JSON.parse(line));
}
const order = (await installedClients(folder, values.binary)).map(({ name }) => name);
outcomes.sort((a, b) => order.indexOf(a.client) - order.indexOf(b.client));
const quiet = quietRuns(outcomes);
const report =
  `${quiet.length} runs; ${outcomes.length - quiet.length} more were excluded because other ` +
  `programs used more than a quarter of the cores.\n\n` +
  shootoutReport(quiet, LEVELS, navigator.hardwareConcurrency);
console.log(report);
if (values.write) await write(report);
for (const failure of failures) console.log(`FAILED ${failure}`);
Deno.exit(failures.length > 0 ? 1 : 0);

/** Installs every client from package registries. */
async function install(target: string): Promise<void> {
  const script = new URL("./install_clients.sh", import.meta.url).pathname;
  const { success } = await new Deno.Command("bash", { args: [script, target] }).spawn().status;
  if (!success) throw new Error("The clients could not be installed");
}

/** Puts the report between its marks in the documentation, and the picture beside that. */
async function write(text: string): Promise<void> {
  const page = await Deno.readTextFile(DOCUMENT);
  const [begin, end] = [page.indexOf(BEGIN), page.indexOf(END)];
  if (begin < 0 || end < begin) throw new Error(`${DOCUMENT.pathname} has no place for it`);
  const picture = "![Reported and true time to first token of each client](shootout.svg)";
  const section = `${BEGIN}\n\n${picture}\n\n${text}\n`;
  await Deno.writeTextFile(DOCUMENT, page.slice(0, begin) + section + page.slice(end));
  await Deno.writeTextFile(PICTURE, shootoutPicture(quiet, LEVELS));
  const files = [DOCUMENT, PICTURE].map(({ pathname }) => pathname);
  const { success } = await new Deno.Command(Deno.execPath(), {
    args: ["fmt", "--quiet", ...files],
  })
    .spawn().status;
  if (!success) throw new Error("What was written could not be formatted");
}
