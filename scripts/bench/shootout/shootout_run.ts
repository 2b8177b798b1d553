import { summarize } from "../../../src/core/statistics/summarize.ts";
import { LoadTarget } from "../load_target.ts";
import type { MachineUse, MachineWatch } from "../machine_use.ts";
import { type CommandLine, MeasuredProcess } from "../measured_process.ts";
import { exists } from "../peers.ts";
import { parseServedTimes, type ServedTimes } from "../truth/served_requests.ts";
import type { ClientFigures, Level, Percentiles, ShootoutClient } from "./shootout_client.ts";

/** What one run came to. */
export interface ShootoutOutcome {
  readonly client: string;
  readonly version: string;
  readonly level: string;
  readonly round: number;
  /** ISO 8601. */
  readonly at: string;
  readonly machine: MachineUse;
  readonly cpuSeconds: number;
  readonly peakBytes: number;
  /** From launch. */
  readonly firstRequestSeconds: number;
  /** With `DIR`, `URL` and `FOLDER` in the place of this machine's. */
  readonly commandLine: string;
  /** Requests that the target made fail. */
  readonly injected: number;
  readonly reported: ClientFigures;
  /** By the target's clock: from a request's arrival to the write of its first token. */
  readonly ttft: Percentiles;
  /** The mean time between the writes of a request's tokens. */
  readonly itl: Percentiles;
}

/** How the product is started where there is no executable. */
const FROM_SOURCE = /^\S*deno run .*\/src\/main\.ts /;

/** How replies are timed; real ones vary. */
const TIMING = { ttftMs: 50, itlMs: 5, ttftCv: 0.2 };

/**
 * Runs a client against a fresh target.
 * @param folder where the clients and perhaps `mockllm` are
 * @throws {Error} if it left no results
 */
export async function runShootout(
  client: ShootoutClient,
  level: Level,
  round: number,
  folder: string,
  machine: MachineWatch,
): Promise<ShootoutOutcome> {
  const results = await Deno.makeTempDir({ prefix: "bench-" });
  const options = { ...TIMING, keepsTimes: true, failureShare: level.failureShare };
  const target = await exists(`${folder}/mockllm`)
    ? await LoadTarget.startMockllm(folder, options)
    : await LoadTarget.startOwn(options);
  try {
    const at = new Date().toISOString();
    const line = client.commandLine(level, target.url, results);
    const endWatch = machine.begin();
    const process = await MeasuredProcess.start(line);
    const cost = await process.cost;
    const use = endWatch({ clientSeconds: cost.cpuSeconds, targetSeconds: target.cpuSeconds });
    const truth = await target.truth();
    let reported: ClientFigures;
    try {
      reported = await client.figures(level, results);
    } catch {
      throw new Error(`${client.name} ended with ${cost.exitCode}:\n${cost.output}`);
    }
    const served = measuredTimes(parseServedTimes(await target.times()), level.requests);
    return {
      client: client.name,
      version: await client.version(),
      level: level.name,
      round,
      at,
      machine: use,
      cpuSeconds: cost.cpuSeconds,
      peakBytes: cost.peakBytes,
      firstRequestSeconds: (truth.firstRequestMs - cost.startedMs) / 1000,
      commandLine: shownCommand(line, [[results, "FOLDER"], [target.url, "URL"], [folder, "DIR"]]),
      injected: truth.injected,
      reported,
      ...targetTimes(served, level.tokens),
    };
  } finally {
    await target.stop();
    await Deno.remove(results, { recursive: true });
  }
}

/** The requests of the load, without what a client asked before to see whether the server is there. */
export function measuredTimes(served: readonly ServedTimes[], requests: number): ServedTimes[] {
  return [...served].sort((a, b) => Number(a.arrivalNs - b.arrivalNs)).slice(-requests);
}

/** The target's own percentiles, over replies that it wrote in full. */
export function targetTimes(
  served: readonly ServedTimes[],
  tokens: number,
): { readonly ttft: Percentiles; readonly itl: Percentiles } {
  const whole = served.filter(({ writesNs }) => writesNs.length === tokens);
  const firstMs = (writesNs: Float64Array): number => (writesNs[0] as number) / 1e6;
  return {
    ttft: percentiles(whole.map(({ writesNs }) => firstMs(writesNs))),
    itl: percentiles(
      whole.map(({ writesNs }) =>
        ((writesNs.at(-1) as number) / 1e6 - firstMs(writesNs)) / (tokens - 1)
      ),
    ),
  };
}

function percentiles(values: readonly number[]): Percentiles {
  const { p50, p90, p99 } = summarize(Float64Array.from(values));
  return { p50, p90, p99 };
}

/** A command line as people would type it. */
function shownCommand(
  { command, args, env = {} }: CommandLine,
  names: readonly (readonly [path: string, name: string])[],
): string {
  const variables = Object.entries(env).filter(([name]) => name !== "TMPDIR");
  const words = [...variables.map((pair) => pair.join("=")), command, ...args];
  return words.map((word) => {
    const named = names.reduce((text, [path, name]) => text.replaceAll(path, name), word);
    if (/^\s*import /.test(named)) return "'...'";
    return /[^\w@%+=:,./-]/.test(named) ? `'${named}'` : named;
  }).join(" ").replace(FROM_SOURCE, "inferometer ");
}
