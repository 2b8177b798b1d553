/**
 * How long chunks lay unread before this program read them, by the canaries that were read about the
 * same time on the same thread.
 *
 * For n chunks, P_i(d) is the share of the canaries nearest in time to chunk i whose delay exceeds d,
 * L(d) = sum P_i(d) and V(d) = sum P_i(d) (1 - P_i(d)). N canaries are few, and what is read together
 * is delayed together: c chunks on average, and s canaries. So at most k(d) chunks had a longer delay
 * than d, the upper bound of L + n/N + 2 sqrt(s V n/N) with the variance c V; if any at all, no fewer
 * than may be read together.
 * Where turns of the event loop tell the most that each chunk can have lain unread, no more chunks had
 * a longer delay than d than those of which that is so.
 * Beyond the longest delay D of a canary, k(d) follows n/N (D/d)^1.5, which falls more slowly than
 * delays do: of canaries of the chunks' kind, and of every kind.
 */

import { upperBound } from "../statistics/search_sorted.ts";
import type { Shadow } from "../canary/canary_kind.ts";
import { busyWaitsMs } from "./busy_waits.ts";
import {
  type CanaryWindows,
  canaryWindows,
  exceedance,
  type ReadChunks,
  weighted,
} from "./canary_windows.ts";
import { type ClusterSizes, clusterSizes } from "./cluster_sizes.ts";
import { ClusterSums } from "./cluster_sums.ts";
import { delayGrid } from "./delay_grid.ts";
import type { DelaysByKind } from "./delays_by_kind.ts";
import { areFewCanaries } from "./few_canaries.ts";
import { poissonUpper } from "./poisson_upper.ts";
import { type MeanDelay, TimedDelays } from "./timed_delays.ts";
import { untoldWakeMs, usualWakeNs } from "./wake_delay.ts";

/** How steeply the number of delays falls beyond the longest that is known. */
const TAIL_POWER = 1.5;
/** No delay is taken to be known better than this: one canary's short delay says little. */
const MIN_LONGEST_NS = 0.2e6;
/**
 * The same with few canaries, as in runs of a second or less, or few groups of them: what is done for
 * the first time takes longer, and few of them fall into it. In 24 of 68 such runs on a machine that did
 * nothing else some first chunk was later than that.
 */
const LEAST_OF_FEW_NS = 1e6;

/**
 * Where canaries of a kind, or chunks, are read in fewer groups than this, canaries may never have been
 * there when all chunks of a group waited.
 */
const MIN_GROUPS = 30;

/** Up to which delay chunks may tell it themselves. */
const CAPS_NS = [0, 0.05e6, 0.1e6, 0.2e6, 0.4e6, 0.8e6, 1.6e6, 3.2e6, 6.4e6, 12.8e6, Infinity];

/** Delays of a set of chunks. */
export interface LocalDelays {
  /** Delays, ascending. */
  readonly delaysNs: Float64Array;
  /** Upper bound of the number of chunks that had a longer one. */
  readonly exceeding: Float64Array;
  /** The same without trust in that chunks fare as the canaries nearest to them. */
  readonly exceedingAtMost: Float64Array;
  /** The canaries' delays, by how many chunks each stands for. */
  readonly timed: TimedDelays;
  /** The same of the canaries of every kind. */
  readonly timedOfAll: TimedDelays;
  /** Mean delay of the chunks if they fare as canaries. */
  readonly meanNs: number;
  /** The least that it can be. */
  readonly meanAtLeastNs: number;
  /** The longest delay of a canary of any kind; infinite with chunks that are unwatched. */
  readonly longestNs: number;
  /** Chunks about whose time no canary was read, so that nothing is known of them. */
  readonly unwatched: number;
  /** Whether the canaries of every kind are so few that they tell little. */
  readonly areFew: boolean;
  /** Whether many of the chunks are of their threads' first requests. */
  readonly areOfFirstWave: boolean;
  /** Which chunks these are. */
  readonly kind: Shadow;
  /** How many times as long as canaries the chunks can have lain unread: all but the mean has it. */
  readonly factor: number;
  /** How many of the chunks are read together, on average. */
  readonly together: number;
  /** By how much the mean delay is greater if what is read together was once as late as the latest canary. */
  readonly oneMoreNs: number;
  /** How many of the chunks can have lain unread because their thread stood still. */
  readonly stood: number;
  /** So long at most each did, in milliseconds; undefined for not at all. */
  readonly stoodMs: Float64Array | undefined;
  /** By how much the mean delay can be greater for that. */
  readonly stoodMeanNs: number;
  /** The most that the mean delay can be. */
  readonly meanAtMostNs: number;
  /** The most that each chunk can have lain unread, in milliseconds; undefined if nothing is known. */
  readonly atMostMs: Float64Array | undefined;
  /**
   * How long each lay unread, in milliseconds, if it was there while its thread was busy; undefined where
   * canaries tell.
   */
  readonly busyMs: Float64Array | undefined;
  /** By how much they can have been later than canaries tell, as their thread slept, in milliseconds. */
  readonly wakeMs: number;
}

/**
 * Finds the delays of chunks of a kind; undefined without any canary.
 * @param factor how many times as long as canaries chunks can lie unread
 */
export function localDelays(
  chunks: ReadChunks,
  kind: Shadow,
  known: Pick<DelaysByKind, Shadow | "all" | "isUnwatched" | "wake">,
  factor = 1,
): LocalDelays | undefined {
  const own = canaryWindows(chunks, known[kind], factor);
  if (own.length === 0) return undefined;
  const all = known.all === known[kind] ? own : canaryWindows(chunks, known.all, factor);
  const count = chunks.stampNs.length;
  const mosts = chunks.atMostNs?.slice().sort();
  const stood = chunks.stoodNs?.filter((ns) => ns > 0).sort() ?? new Float64Array(0);
  const stoodMeanNs = stood.reduce((sum, ns) => sum + ns, 0) / count;
  const stamps = stampsByWorker(chunks);
  const clusters = {
    chunks: clusterSizes(stamps.values()),
    canaries: clusterSizes(own.map(({ readNs }) => readNs)),
  };
  const unwatched = chunks.workers.reduce(
    (sum, worker, chunk) =>
      sum + (known.isUnwatched(worker, chunks.stampNs[chunk] as number) ? 1 : 0),
    0,
  );
  const weightsOfOwn = own.map(weighted);
  const weightsOfAll = all === own ? weightsOfOwn : all.map(weighted);
  const timed = new TimedDelays(weightsOfOwn);
  const timedOfAll = all === own ? timed : new TimedDelays(weightsOfAll);
  const areFew = areFewCanaries(all.map(({ readNs }) => readNs));
  const areInFewGroups = clusters.canaries.groups < MIN_GROUPS ||
    clusters.chunks.groups < MIN_GROUPS;
  const leastNs = areFew || areInFewGroups ? LEAST_OF_FEW_NS : MIN_LONGEST_NS;
  const longestNs = Math.max(leastNs, longestOf(own), longestOf(all));
  const means = [timed.meanOf(count), timedOfAll.meanOf(count)] as const;
  const together = clusters.chunks.mean;
  const sums = new ClusterSums(chunks, stamps, known.all);
  const oneMore = (beyondNs: number) => sums.greatest(longestNs, beyondNs) / count;
  return {
    ...exceedances({ own, all, leastNs, longestNs, count, mosts, stood, unwatched, ...clusters }),
    timed,
    timedOfAll,
    atMostMs: chunks.atMostNs?.map((most) => most / 1e6),
    busyMs: areInFewGroups
      ? busyWaitsMs(chunks, stamps, {
        meanNs: means[1].meanNs,
        wakeNs: usualWakeNs(known.wake, clusters.chunks.groups),
      })
      : undefined,
    // Canaries of last chunks count from when they were intended, and so wait for a core themselves.
    wakeMs: kind === "last" ? 0 : untoldWakeMs(known.wake, timed.medianMs, clusters.chunks.groups),
    longestNs: unwatched > 0 ? Infinity : longestNs,
    unwatched,
    meanNs: greater(...means).meanNs / factor,
    meanAtLeastNs: Math.max(0, Math.min(...means.map(least))) / factor,
    areFew,
    areOfFirstWave: chunks.areOfFirstWave ?? false,
    kind,
    factor,
    together,
    oneMoreNs: unwatched > 0 ? Infinity : oneMore(0),
    stood: stood.length,
    stoodMs: chunks.stoodNs?.map((ns) => ns / 1e6),
    stoodMeanNs,
    meanAtMostNs: unwatched > 0 ? Infinity : stoodMeanNs + meanAtMost(
      [...new Set([weightsOfOwn, weightsOfAll])].map((each) => new TimedDelays(each, mosts)),
      mosts,
      count,
      oneMore,
    ),
  };
}

/** What tells how many chunks were late by how much. */
interface KnownDelays {
  /** Canaries of the chunks' kind, and of every kind: those are more, and these keep step with them. */
  readonly own: readonly CanaryWindows[];
  readonly all: readonly CanaryWindows[];
  /** The longest delay of any of them. */
  readonly longestNs: number;
  /** It is not taken to be shorter than this. */
  readonly leastNs: number;
  /** Chunks, and those of which nothing is known. */
  readonly count: number;
  readonly unwatched: number;
  /** The most that they can have lain unread, ascending. */
  readonly mosts: Float64Array | undefined;
  /** The most that those of them lay unread for which their thread stood still, ascending. */
  readonly stood: Float64Array;
  /** How many chunks, and how many canaries, are read together. */
  readonly chunks: ClusterSizes;
  readonly canaries: ClusterSizes;
}

/** Upper bounds of the number of chunks that were later than each of some delays. */
function exceedances(
  known: KnownDelays,
): Pick<LocalDelays, "delaysNs" | "exceeding" | "exceedingAtMost"> {
  const { all, count, leastNs, mosts, own, stood, unwatched } = known;
  const delaysNs = delayGrid(own.map(({ delayNs }) => delayNs), leastNs, count, mosts, stood);
  const [each, eachOfAll] = [count / countOf(own), count / countOf(all)];
  const longestOfOwnNs = Math.max(leastNs, longestOf(own));
  const exceeding = new Float64Array(delaysNs.length);
  const exceedingAtMost = new Float64Array(delaysNs.length);
  delaysNs.forEach((delayNs, at) => {
    const possible = mosts === undefined ? count : count - upperBound(mosts, delayNs);
    const ofOwn = exceedance(own, delayNs);
    const ofAll = all === own ? ofOwn : exceedance(all, delayNs);
    const local = Math.max(ofOwn.local, ofAll.local);
    const variance = Math.max(ofOwn.variance, ofAll.variance);
    const isBeyond = delayNs >= longestOfOwnNs;
    const tail = (each: number, longestNs: number) =>
      lateUpper(each * (longestNs / delayNs) ** TAIL_POWER, known.chunks);
    const likely = Math.max(
      isBeyond ? tail(each, longestOfOwnNs) : 0,
      delayNs < known.longestNs
        ? upperCount(local, variance, eachOfAll, known)
        : tail(eachOfAll, known.longestNs),
    );
    const most = isBeyond ? ofAll.local : upperCount(local, local, each, known);
    // Those that stood still were as late besides as others.
    const stoodLonger = stood.length - upperBound(stood, Math.max(0, delayNs - known.longestNs));
    const others = stoodLonger + unwatched;
    exceeding[at] = Math.min(possible, likely + others);
    exceedingAtMost[at] = Math.min(possible, Math.max(likely, most) + others);
  });
  return { delaysNs, exceeding, exceedingAtMost };
}

function countOf(windows: readonly CanaryWindows[]): number {
  return windows.reduce((sum, { delayNs }) => sum + delayNs.length, 0);
}

/** The longest delay of a canary. */
function longestOf(windows: readonly CanaryWindows[]): number {
  return Math.max(...windows.map(({ delayNs }) => maximum(delayNs)));
}

/**
 * Upper bound of a count.
 * @param local the count to be expected
 * @param variance of it, if each chunk is late or not by itself
 * @param each chunks that a canary stands for
 * @param together how many of them share one fate
 */
function upperCount(
  local: number,
  variance: number,
  each: number,
  together: Pick<KnownDelays, "canaries" | "chunks">,
): number {
  const certain = local - Math.min(variance, local);
  const upper = local + each + 2 * Math.sqrt(together.canaries.mean * variance * each);
  return Math.max(
    certain + lateUpper(local - certain + each, together.chunks),
    upper + 2 * Math.sqrt(together.chunks.mean * variance),
  );
}

/** Upper bound of a count of chunks, of which those that are read together are late together. */
function lateUpper(expected: number, { mean, largest }: ClusterSizes): number {
  const clusters = poissonUpper(expected / mean);
  return clusters === 0 ? 0 : Math.max(clusters * mean, largest);
}

/** When the chunks of each worker were read, ascending. */
function stampsByWorker({ workers, stampNs }: ReadChunks): Map<number, Float64Array> {
  const counts = new Map<number, number>();
  for (const worker of workers) counts.set(worker, (counts.get(worker) ?? 0) + 1);
  return new Map(
    [...counts].map(([worker, count]) => {
      const stamps = new Float64Array(count);
      let length = 0;
      stampNs.forEach((stamp, chunk) => {
        if (workers[chunk] === worker) stamps[length++] = stamp;
      });
      return [worker, stamps.sort()];
    }),
  );
}

/**
 * The most that the mean delay can be: up to some delay what the chunks themselves tell, and what the
 * canaries tell of longer ones.
 * @param oneMore by how much the mean of what is beyond a delay is greater if all that is read together
 * was once as late as the latest canary, or as it can have been
 */
function meanAtMost(
  canaries: readonly TimedDelays[],
  mosts: Float64Array | undefined,
  count: number,
  oneMore: (beyondNs: number) => number,
): number {
  let least = Infinity;
  for (const capNs of mosts === undefined ? [0] : CAPS_NS) {
    const own = mosts === undefined
      ? { withinNs: 0, beyondNs: Infinity }
      : partsOf(mosts, capNs, count);
    const moreNs = oneMore(capNs);
    const told = canaries.map((timed) => {
      const { meanNs, standardErrorNs } = timed.meanOf(count, capNs);
      return meanNs + Math.hypot(2 * standardErrorNs, moreNs);
    });
    least = Math.min(least, own.withinNs + Math.min(own.beyondNs, Math.max(...told)));
  }
  return least;
}

/** Means of what is up to a delay, and of what is beyond it. */
function partsOf(
  mosts: Float64Array,
  capNs: number,
  count: number,
): { readonly withinNs: number; readonly beyondNs: number } {
  let within = 0;
  let beyond = 0;
  for (let i = 0; i < mosts.length; i++) {
    const most = mosts[i] as number;
    within += Math.min(most, capNs);
    if (most > capNs) beyond += most - capNs;
  }
  return { withinNs: within / count, beyondNs: beyond / count };
}

/** Of two means, the one that may be greater. */
function greater(a: MeanDelay, b: MeanDelay): MeanDelay {
  const most = ({ meanNs, standardErrorNs }: MeanDelay) => meanNs + 2 * standardErrorNs;
  return most(b) > most(a) ? b : a;
}

function least({ meanNs, standardErrorNs }: MeanDelay): number {
  return meanNs - 2 * standardErrorNs;
}

function maximum(values: Float64Array): number {
  let most = 0;
  for (let i = 0; i < values.length; i++) most = Math.max(most, values[i] as number);
  return most;
}
