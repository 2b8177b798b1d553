// deno-lint-ignore-file no-console
/**
 * Compares what the product reports, and claims of its own error, with the times at which the server's
 * packets were sent. It takes any server of OpenAI's API on this machine, without TLS.
 *
 *     deno run --allow-all scripts/bench/captured.ts --url http://127.0.0.1:8000 -- --concurrency 8
 */

import { parseArgs } from "node:util";
import { renderTable } from "../../src/report/console/text_table.ts";
import { capturedRequests } from "./capture/captured_requests.ts";
import { PacketCapture } from "./capture/packet_capture.ts";
import { MeasuredProcess, type ProcessCost } from "./measured_process.ts";
import { productCommand } from "./product.ts";
import { parseClientRecords } from "./truth/client_records.ts";
import {
  type Claim,
  isFalselyValid,
  type JudgedStatistic,
  judgeStatistics,
} from "./truth/judged_statistics.ts";
import { trueStatistics } from "./truth/true_statistics.ts";

const USAGE =
  `deno run --allow-all scripts/bench/captured.ts --url URL [options] -- [options of profile]

  --url URL      a server of OpenAI's API on this machine, without TLS
  --runs N       runs (default 1)
  --binary PATH  measure this executable instead of the sources

It needs tcpdump, and root's rights for it.
`;

/** A statistic that the product says something of. */
type Claimed = JudgedStatistic & { readonly claim: Claim };

const TABLE_WIDTH = 120;
const HEAD = ["statistic", "reported", "true", "at least", "at most", "verdict", "held"];

const { values, positionals } = parseArgs({
  args: Deno.args,
  options: {
    url: { type: "string" },
    runs: { type: "string", default: "1" },
    binary: { type: "string" },
  },
  allowPositionals: true,
});
const runs = Number(values.runs);
const url = values.url === undefined ? null : URL.parse(values.url);
if (url === null || url.protocol !== "http:" || !(runs >= 1)) {
  console.error(USAGE);
  Deno.exit(2);
}
const all: Claimed[] = [];
try {
  for (let run = 1; run <= runs; run++) {
    const judged = await judgedRun(url, positionals);
    console.log(table(judged));
    all.push(...judged);
  }
} catch (error) {
  console.error(`captured: ${(error as Error).message}`);
  Deno.exit(1);
}
const held = all.filter(({ claim }) => claim.holds).length;
const falselyValid = all.filter(isFalselyValid).length;
console.log(
  `${held} of ${all.length} statistics (${(held / all.length * 100).toFixed(1)} %) lie within ` +
    `their bounds; ${falselyValid} are called valid and are off by more than 5 %`,
);
Deno.exit(falselyValid === 0 ? 0 : 1);

/**
 * Makes a run, and judges what it claims.
 * @throws {Error} if the client failed, or a request is not among what was captured
 */
async function judgedRun(server: URL, options: readonly string[]): Promise<Claimed[]> {
  const folder = await Deno.makeTempDir({ prefix: "captured-" });
  try {
    const [packets, port] = [`${folder}/packets.pcap`, Number(server.port || 80)];
    const capture = await PacketCapture.start(packets, port);
    const cost = await clientCost(server, folder, options).finally(() => capture.stop());
    if (cost.exitCode !== 0) throw new Error(`It ended with ${cost.exitCode}:\n${cost.output}`);
    const served = capturedRequests(await Deno.readFile(packets), port);
    const records = parseClientRecords(await Deno.readTextFile(`${folder}/profile_export.jsonl`));
    const truth = trueStatistics(records, served, 1);
    if (truth.unmatched > 0) {
      throw new Error(`${truth.unmatched} requests were captured otherwise: ${truth.problem}`);
    }
    const report = JSON.parse(await Deno.readTextFile(`${folder}/profile_export_aiperf.json`));
    return judgeStatistics(report, truth).filter((each): each is Claimed =>
      each.claim !== undefined
    );
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

async function clientCost(
  server: URL,
  folder: string,
  options: readonly string[],
): Promise<ProcessCost> {
  const client = await MeasuredProcess.start(productCommand(values.binary, [
    ...["profile", "--url", server.href, "--ui", "none", "--no-server-metrics"],
    ...["--artifact-dir", folder, "--overwrite", ...options],
  ]));
  return await client.cost;
}

function table(judged: readonly Claimed[]): string {
  const figure = (value: number): string => value < 1e9 ? value.toFixed(3) : "";
  return renderTable({
    head: HEAD,
    rows: judged.map(({ tag, statistic, reported, true: truth, claim }) => [
      `${tag} ${statistic}`,
      ...[reported, truth, claim.lower, claim.upper].map(figure),
      claim.verdict,
      claim.holds ? "yes" : "NO",
    ]),
    flexible: 0,
    minFlexible: 24,
    alignments: ["left", "right", "right", "right", "right", "left", "left"],
  }, TABLE_WIDTH);
}
