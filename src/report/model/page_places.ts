/**
 * Which pool the instances of each page are of, and which pages are those of fronts: as the user
 * states, else by labels, else by what pages count.
 *
 * In a prefill/decode pair both instances count each request and its prompt; a prefill instance
 * generates one token per request. A router that exposes an engine's metrics counts each request of the
 * instances behind it once more.
 */

import type { Engine, Layer } from "../../telemetry/engines/engine.ts";
import type { EngineMetrics } from "../../telemetry/engines/page_engines.ts";
import { type Pool, poolNamed } from "../../telemetry/engines/place.ts";
import type { RoleEndpoint, RoleInput } from "./role_figure.ts";

/** An endpoint and the engines on its pages. */
export interface RolePage {
  readonly endpoint: RoleEndpoint;
  readonly engines: ReadonlyMap<Engine, EngineMetrics<RoleInput>>;
}

/** Place of a page; the pool is undefined where nothing names one. */
export interface PagePlace {
  readonly pool: Pool | undefined;
  readonly isFront: boolean;
}

/** Totals that a page counts over a run. */
export interface PageCounts {
  readonly requests: number;
  readonly promptTokens: number;
  readonly generationTokens: number;
  /** Transfers of KV caches from other instances. */
  readonly received: number;
  /** Prompt tokens from outside of the engine: of another instance, or of a shared cache. */
  readonly external: number;
}

/** Name of the component of Dynamo that decodes where another one prefills. */
const BACKEND = "backend";
/** Largest difference of counts that are the same requests. */
const TOLERANCE = 0.02;

/**
 * Finds the place of each page.
 * @param countsOf totals of a page's engines; undefined if they count no requests
 */
export function pagePlaces(
  pages: readonly RolePage[],
  countsOf: (page: RolePage) => PageCounts | undefined,
): ReadonlyMap<RolePage, PagePlace> {
  const stated = new Map(pages.map((page) => [page, statedPool(page)] as const));
  const hasPrefill = pages.some((page) =>
    stated.get(page) === "prefill" || labelsOf(page).includes("prefill")
  );
  const known = new Map(
    pages.map((page) =>
      [page, stated.get(page) ?? labelledPool(labelsOf(page), hasPrefill)] as const
    ),
  );
  const counted = pages.flatMap((page) => {
    const counts = isStatedFront(page) || !hasEngine(page) ? undefined : countsOf(page);
    return counts === undefined ? [] : [{ page, counts, pool: known.get(page) }];
  });
  const front = counted.find((one) =>
    one.page.endpoint.isOwn === true && one.pool === undefined &&
    isFrontOf(one, withPools(counted.filter((other) => other !== one)))
  );
  const pools = new Map(
    withPools(counted.filter((one) => one !== front)).map(({ page, pool }) => [page, pool]),
  );
  return new Map(pages.map((page) => [page, {
    pool: pools.get(page) ?? known.get(page),
    isFront: isStatedFront(page) || page === front?.page,
  }]));
}

/** The pool of a series by its labels; undefined if they name none. */
export function poolOfSeries(
  { poolLabel }: Engine,
  { labels }: Pick<RoleInput, "labels">,
): Pool | undefined {
  const value = labels.find(([label]) => label === poolLabel)?.[1];
  return value === undefined ? undefined : poolNamed(value);
}

/** The layer of an engine on a page: a front that exposes an engine's metrics is still a front. */
export function layerOn({ isFront }: PagePlace, { layer }: Engine): Layer {
  return isFront && (layer === "engine" || layer === "worker") ? "front" : layer;
}

interface CountedPage {
  readonly page: RolePage;
  readonly counts: PageCounts;
  readonly pool: Pool | undefined;
}

function isStatedFront({ endpoint: { place } }: RolePage): boolean {
  return place === "front";
}

function statedPool({ endpoint: { place } }: RolePage): Pool | undefined {
  return place === "front" ? undefined : place;
}

/** Whether a page shows an engine, or a worker around one. */
export function hasEngine({ engines }: RolePage): boolean {
  return [...engines.keys()].some(({ layer }) => layer === "engine" || layer === "worker");
}

/** Values of the labels that name pools. */
function labelsOf({ engines }: RolePage): string[] {
  const values = new Set<string>();
  for (const [{ poolLabel }, metrics] of engines) {
    if (poolLabel === undefined) continue;
    for (const { labels } of [...metrics.values()].flat()) {
      for (const [label, value] of labels) if (label === poolLabel) values.add(value);
    }
  }
  return [...values];
}

/** The pool that all labels of a page agree on. */
function labelledPool(values: readonly string[], hasPrefill: boolean): Pool | undefined {
  const pools = new Set(
    values.flatMap((value) =>
      (value === BACKEND && hasPrefill ? "decode" : poolNamed(value)) ?? []
    ),
  );
  return pools.size === 1 ? [...pools][0] : undefined;
}

/** Pages with the pools that follow from what they count. */
function withPools(pages: readonly CountedPage[]): readonly CountedPage[] {
  const isFree = ({ pool }: CountedPage): boolean => pool === undefined;
  const receives = ({ counts: { received } }: CountedPage): boolean => received > 0;
  const generates = pages.filter((one) =>
    (isFree(one) || one.pool === "decode") && one.counts.requests > 0 &&
    (one.counts.generationTokens > one.counts.requests || receives(one))
  );
  // Where replies have one token, only the transfers distinguish the two.
  const prefills = pages.filter((one) =>
    isFree(one) && one.counts.requests > 0 && one.counts.promptTokens > 0 &&
    one.counts.generationTokens === one.counts.requests && !receives(one)
  );
  if (generates.length === 0 || prefills.length === 0) return withReceivers(pages);
  // With conditional disaggregation, the decode instances count more than the prefill instances.
  const isPair = generates.some((one) => receives(one) || one.counts.external > 0) ||
    (alike(sumOf(generates, "requests"), sumOf(prefills, "requests")) &&
      alike(sumOf(generates, "promptTokens"), sumOf(prefills, "promptTokens")));
  if (!isPair) return pages;
  return pages.map((one) => ({
    ...one,
    pool: one.pool ??
      (prefills.includes(one) ? "prefill" : generates.includes(one) ? "decode" : undefined),
  }));
}

/** Where no prefill instance is scraped, an instance that fetches KV caches decodes. */
function withReceivers(pages: readonly CountedPage[]): readonly CountedPage[] {
  return pages.map((one) =>
    one.counts.received > 0 ? { ...one, pool: one.pool ?? "decode" as const } : one
  );
}

function isFrontOf({ counts }: CountedPage, others: readonly CountedPage[]): boolean {
  const decoding = others.filter(({ pool }) => pool !== "prefill");
  const prefilling = others.filter(({ pool }) => pool !== "decode");
  return counts.requests > 0 && decoding.length > 0 && prefilling.length > 0 &&
    alike(counts.requests, sumOf(decoding, "requests")) &&
    alike(counts.promptTokens, sumOf(prefilling, "promptTokens")) &&
    alike(counts.generationTokens, sumOf(decoding, "generationTokens"));
}

function sumOf(pages: readonly CountedPage[], name: keyof PageCounts): number {
  return pages.reduce((sum, { counts }) => sum + counts[name], 0);
}

function alike(a: number, b: number): boolean {
  return Math.abs(a - b) <= TOLERANCE * Math.max(a, b);
}
