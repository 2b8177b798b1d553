/** `run.json` of a run whose shards are merged: what one process would have written in their place. */

import { shardFolderName } from "../../config/shard/shard.ts";
import { firstReason } from "../../core/run_end/end_reason.ts";
import type { LoadChange } from "../../report/model/load_change.ts";
import type {
  MachineFacts,
  PartFacts,
  PhaseFacts,
  RunFacts,
  RunManifest,
  RunSummary,
} from "../collect/run_manifest.ts";

/** A shard of a run. */
export interface MergedShard extends PartFacts {
  readonly index: number;
  readonly manifest: RunManifest;
  /** What its records say of one that was killed; else its own summary. */
  readonly summary: RunSummary;
}

/** Hosts that are named one by one. */
const MAX_HOSTS = 4;

/**
 * Merges the manifests of shards. Of one shard that is the whole run the result is its own manifest,
 * and of a run that was divided it is that of the run.
 * @param shards by ascending index, at least one
 */
export function mergedManifest(shards: readonly MergedShard[]): RunManifest {
  const [first] = shards as readonly [MergedShard, ...MergedShard[]];
  const { manifest } = first;
  const changes = changesOf(shards);
  return {
    ...manifest,
    facts: mergedFacts(shards),
    phases: mergedPhases(shards),
    changes,
    parts: shards.map(({ folder, shiftNs }) => ({ folder, shiftNs })),
    summary: mergedSummary(shards, changes),
  };
}

function mergedFacts(shards: readonly MergedShard[]): RunFacts {
  const all = shards.map(({ manifest }) => manifest.facts);
  const [facts] = all as [RunFacts];
  const { plan } = facts;
  const { shard, output } = plan;
  const ending = shard === undefined ? "" : `/${shardFolderName(shard)}`;
  const directory = shard !== undefined && output.directory.endsWith(ending)
    ? output.directory.slice(0, -ending.length)
    : output.directory;
  return {
    ...facts,
    plan: {
      ...plan,
      shard: undefined,
      // Processes of their own have threads of their own; parts of one process have its threads.
      workers: shard === undefined
        ? plan.workers
        : all.reduce((sum, { plan }) => sum + plan.workers, 0),
      output: { ...output, directory },
    },
    hasImages: all.some(({ hasImages }) => hasImages),
    machine: mergedMachine(all.map(({ machine }) => machine)),
    ...(shard === undefined ? {} : { processes: all.length }),
    servers: all.find(({ servers }) => servers !== undefined)?.servers ?? facts.servers,
  } as RunFacts;
}

/** Machines as one, whose processors are those of all. */
function mergedMachine(machines: readonly MachineFacts[]): MachineFacts {
  const hosts = new Map(machines.map((machine) => [machine.hostname, machine]));
  const names = [...hosts.keys()];
  const more = names.length - MAX_HOSTS;
  return {
    ...machines[0] as MachineFacts,
    hostname: more > 0
      ? `${names.slice(0, MAX_HOSTS).join(", ")} and ${more} more`
      : names.join(", "),
    cores: [...hosts.values()].reduce((sum, { cores }) => sum + cores, 0),
  };
}

/** A phase lasts from the first shard's beginning to the last one's end. */
function mergedPhases(shards: readonly MergedShard[]): PhaseFacts[] {
  const kinds = [...new Set(shards.flatMap(({ manifest }) => manifest.phases.map((p) => p.kind)))];
  const order: readonly PhaseFacts["kind"][] = ["warmup", "profiling"];
  return kinds.toSorted((a, b) => order.indexOf(a) - order.indexOf(b)).map((kind) => {
    const phases = shards.flatMap(({ manifest, shiftNs }) =>
      manifest.phases.filter((phase) => phase.kind === kind)
        .map(({ startNs, endNs }) => ({
          startNs: startNs + shiftNs,
          endNs: endNs === undefined ? undefined : endNs + shiftNs,
        }))
    );
    const ends = phases.flatMap(({ endNs }) => endNs ?? []);
    return {
      kind,
      startNs: Math.min(...phases.map(({ startNs }) => startNs)),
      endNs: ends.length === 0 ? undefined : Math.max(...ends),
    };
  });
}

function changesOf(shards: readonly MergedShard[]): readonly LoadChange[] | undefined {
  const changes = shards.flatMap(({ manifest, shiftNs }) =>
    (manifest.changes ?? []).map((change) => ({ ...change, atNs: change.atNs + shiftNs }))
  );
  return changes.length === 0 ? undefined : changes.toSorted((a, b) => a.atNs - b.atNs);
}

function mergedSummary(
  shards: readonly MergedShard[],
  changes: readonly LoadChange[] | undefined,
): RunSummary {
  const all = shards.map(({ summary }) => summary);
  const [first] = all as [RunSummary];
  const total = (count: (summary: RunSummary) => number): number =>
    all.reduce((sum, summary) => sum + count(summary), 0);
  const measured = all.map(({ cpuCores }) => cpuCores).filter((cores) => !Number.isNaN(cores));
  const endings = distinct(all.flatMap(({ endedEarly }) => endedEarly ?? []));
  return {
    ...first,
    wasCancelled: all.some(({ wasCancelled }) => wasCancelled),
    isComplete: all.every(({ isComplete }) => isComplete),
    endedEarly: endings.length === 0 ? undefined : endings.join("; "),
    endReason: firstReason(...all.map(({ endReason }) => endReason)),
    startNs: Math.min(...shards.map(({ summary, shiftNs }) => summary.startNs + shiftNs)),
    endNs: Math.max(...shards.map(({ summary, shiftNs }) => summary.endNs + shiftNs)),
    firstIdleNs: firstIdleOf(shards),
    sent: total(({ sent }) => sent),
    unsentArrivals: total(({ unsentArrivals }) => unsentArrivals),
    loopLagMs: interleaved(all.map(({ loopLagMs }) => loopLagMs)),
    cpuCores: measured.length === 0 ? NaN : measured.reduce((sum, cores) => sum + cores, 0),
    notes: distinct(all.flatMap(({ notes }) => notes)),
    stalls: stretches(shards, ({ stalls }) => stalls),
    stolen: stretches(shards, ({ stolen }) => stolen),
    networkSamples: mergedSamples(shards),
    metricsInfo: all.find(({ metricsInfo = [] }) => metricsInfo.length > 0)?.metricsInfo ??
      first.metricsInfo,
    changes,
  } as RunSummary;
}

/** When the first user of any shard had no session left; undefined if that ended none. */
function firstIdleOf(shards: readonly MergedShard[]): number | undefined {
  const known = shards.flatMap(({ summary: { firstIdleNs }, shiftNs }) =>
    firstIdleNs === undefined ? [] : [firstIdleNs + shiftNs]
  );
  return known.length === 0 ? undefined : Math.min(...known);
}

/** Stretches of all shards on the run's clock; undefined if no shard knows of any. */
function stretches<T extends { readonly startNs: number; readonly endNs: number }>(
  shards: readonly MergedShard[],
  of: (summary: RunSummary) => readonly T[] | undefined,
): T[] | undefined {
  if (shards.every(({ summary }) => of(summary) === undefined)) return undefined;
  return shards.flatMap(({ summary, shiftNs }) =>
    (of(summary) ?? []).map((stretch) => ({
      ...stretch,
      startNs: stretch.startNs + shiftNs,
      endNs: stretch.endNs + shiftNs,
    }))
  ).toSorted((a, b) => a.startNs - b.startNs);
}

function mergedSamples(shards: readonly MergedShard[]): RunSummary["networkSamples"] {
  if (shards.every(({ summary }) => summary.networkSamples === undefined)) return undefined;
  return shards.flatMap(({ summary, shiftNs }) =>
    (summary.networkSamples ?? []).map((sample) => ({ ...sample, atNs: sample.atNs + shiftNs }))
  ).toSorted((a, b) => a.atNs - b.atNs);
}

/** The first of each, then the second of each: the order of the numbers that load workers have. */
function interleaved<T>(lists: readonly (readonly T[])[]): T[] {
  const longest = Math.max(...lists.map(({ length }) => length));
  return Array.from({ length: longest }, (_, place) => place)
    .flatMap((place) => lists.flatMap((list) => list.slice(place, place + 1)));
}

function distinct(texts: readonly string[]): string[] {
  return [...new Set(texts)];
}
