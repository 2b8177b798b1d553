/** A run folder as it would be if the run had been judged by other definitions. */

import type { Objective, TokenizerPlan } from "../../config/plan/run_plan.ts";
import type { ItlDialectName } from "../../measurement/metrics/itl_dialect_name.ts";
import type { RecordRows, RowsStretch } from "../../client/record/record_rows.ts";
import { RECOMPUTED_TAG } from "../../report/model/recomputed_tag.ts";
import { RECORD_FIELD } from "../../client/record/request_fields.ts";
import { Extent } from "./extent.ts";
import { prefixOfPart } from "./prefix_of_part.ts";
import { recordsOf, type RunFolder } from "./run_folder.ts";
import type { RunFacts, RunManifest, RunSummary } from "./run_manifest.ts";

/** Definitions that may be others than the run's; those that are missing stay. */
export interface Redefinition {
  /** Objectives of goodput; none at all for an empty list. */
  readonly objectives?: readonly Objective[] | undefined;
  /** Length of slices in nanoseconds; 0 for no slices. */
  readonly sliceNs?: number | undefined;
  /** The tokenizer that counted anew, if one did. */
  readonly tokenizer?: { readonly name: string; readonly plan: TokenizerPlan } | undefined;
  /** Definition of the time between tokens. */
  readonly itlDialect?: ItlDialectName | undefined;
  /** Whether it is told by every definition as well. */
  readonly itlDialects?: boolean | undefined;
  /** Only requests that begin this long or later after the profiling phase does, nanoseconds. */
  readonly fromNs?: number | undefined;
  /** Only requests that begin earlier than this. */
  readonly toNs?: number | undefined;
}

/** A folder under other definitions. */
export interface RecomputedFolder {
  readonly folder: RunFolder;
  /** What is not as the run had it, a phrase each. */
  readonly changes: readonly string[];
  /** Whether a request of the profiling phase that begins then counts, on the run's clock. */
  includes(startNs: number): boolean;
  /** Whether a window of time holds none of the run's requests. */
  readonly isEmpty: boolean;
}

/**
 * Applies other definitions. What they leave as it was is not touched: with the run's own
 * definitions this is the folder itself, and its report equals the run's byte for byte.
 * @param damage what the run has lost, a phrase each
 */
export function recomputedFolder(
  folder: RunFolder,
  definition: Redefinition,
  damage: readonly string[] = [],
): RecomputedFolder {
  const changes = changesOf(folder.manifest, definition);
  if (changes.length === 0) return { folder, changes, includes: () => true, isEmpty: false };
  const { manifest } = folder;
  const window = windowOf(manifest, definition);
  const includes = (startNs: number): boolean =>
    window === undefined || (startNs >= window.startNs && startNs < window.endNs);
  const isInside = ({ columns }: RecordRows, at: number): boolean =>
    columns[RECORD_FIELD.phase]?.[at] !== 1 ||
    includes(columns[RECORD_FIELD.startNs]?.[at] as number);
  const stretches = () => insideOf(folder.stretches(), isInside);
  const part = window && partOf(folder, window, isInside);
  const told = changes.join("; ");
  const changed: RunManifest = {
    ...manifest,
    facts: factsOf(manifest.facts, definition, told),
    summary: manifest.summary &&
      summaryOf(
        {
          ...manifest.summary,
          ...(part === undefined ? {} : {
            prefix: prefixOfPart(folder.directory, manifest.summary.prefix, includes),
          }),
        },
        [...damageNotes(damage), recomputedNote(told)],
        part,
      ),
  };
  return {
    changes,
    includes,
    isEmpty: part?.extent.count === 0,
    folder: {
      manifest: changed,
      files: folder.files,
      stretches,
      rows: () => insideOf(folder.rows(), isInside),
      ...(window === undefined ? {} : {
        straddling: () => insideOf(folder.rows(), (batch, at) => !isInside(batch, at)),
      }),
      records: () => recordsOf(stretches()),
      canaries: () => folder.canaries(),
      scrapes: () => folder.scrapes(),
      gpuScrapes: () => folder.gpuScrapes(),
      sessionLines: () => folder.sessionLines(),
    },
  };
}

/**
 * What the run's facts are under other definitions.
 * @param told what is not as the run had it
 */
function factsOf(facts: RunFacts, definition: Redefinition, told: string): RunFacts {
  const { prefersUsage, ...plan } = facts.plan;
  const { objectives: asked = plan.objectives } = definition;
  const objectives = isSame(asked, plan.objectives) ? plan.objectives : asked;
  const sliceNs = definition.sliceNs === undefined
    ? plan.output.sliceNs
    : definition.sliceNs || undefined;
  const { serverMetrics } = plan;
  return {
    ...facts,
    tokenizer: definition.tokenizer?.name ?? facts.tokenizer,
    plan: {
      ...plan,
      ...(definition.tokenizer === undefined
        ? prefersUsage === undefined ? {} : { prefersUsage }
        : { tokenizer: definition.tokenizer.plan, useServerTokenCount: false }),
      objectives,
      itlDialect: definition.itlDialect ?? plan.itlDialect,
      output: {
        ...plan.output,
        sliceNs,
        ...(definition.itlDialects ? { itlDialects: true } : {}),
      },
      serverMetrics: serverMetrics && {
        ...serverMetrics,
        output: { ...serverMetrics.output, sliceNs },
      },
      // Labels stand in every file that has a place for them.
      tags: [...plan.tags ?? [], [RECOMPUTED_TAG, told]],
    },
  };
}

/** What is not as the run had it, a phrase each. */
function changesOf(
  { facts: { plan, tokenizer: counted } }: RunManifest,
  { objectives, sliceNs, fromNs, toNs, itlDialect, itlDialects, tokenizer }: Redefinition,
): string[] {
  const changes: string[] = [];
  if (objectives !== undefined && !isSame(objectives, plan.objectives)) {
    const texts = (some: readonly Objective[]): string => textsOf(some).join(" ") || "none";
    changes.push(`goodput ${texts(objectives)} (was ${texts(plan.objectives)})`);
  }
  const seconds = (ns: number | undefined): string =>
    ns === undefined || ns === 0 ? "none" : `${ns / 1e9} s`;
  if (sliceNs !== undefined && seconds(sliceNs) !== seconds(plan.output.sliceNs)) {
    changes.push(`slices ${seconds(sliceNs)} (was ${seconds(plan.output.sliceNs)})`);
  }
  if (tokenizer !== undefined) changes.push(`tokens of ${tokenizer.name} (was ${counted})`);
  const { itlDialect: before = "inferometer" } = plan;
  if (itlDialect !== undefined && itlDialect !== before) {
    changes.push(`time between tokens as ${itlDialect} defines it (was ${before})`);
  }
  if (itlDialects && !plan.output.itlDialects) {
    changes.push("a table of the time between tokens by every definition");
  }
  if ((fromNs ?? 0) > 0 || toNs !== undefined) {
    changes.push(
      `requests that began from ${(fromNs ?? 0) / 1e9} s ` +
        `${toNs === undefined ? "on" : `to ${toNs / 1e9} s`}`,
    );
  }
  return changes;
}

function textsOf(objectives: readonly Objective[]): string[] {
  return objectives.map(({ tag, threshold }) => `${tag}:${threshold}`);
}

/** Whether objectives ask for the same: a request meets all of them or not, in whatever order. */
function isSame(some: readonly Objective[], others: readonly Objective[]): boolean {
  return textsOf(some).sort().join() === textsOf(others).sort().join();
}

interface Window {
  readonly startNs: number;
  readonly endNs: number;
}

/** What a window holds of a run. */
interface Part extends Window {
  readonly extent: Extent;
  /** Whether requests were in flight at its end, or began later. */
  readonly goesOn: boolean;
}

function windowOf(
  { summary, phases }: RunManifest,
  { fromNs = 0, toNs = Infinity }: Redefinition,
): Window | undefined {
  if (fromNs === 0 && toNs === Infinity) return undefined;
  const zero = summary?.startNs ??
    phases.findLast(({ kind }) => kind === "profiling")?.startNs ?? 0;
  return { startNs: zero + fromNs, endNs: zero + toNs };
}

/** What of the stretches is inside of something. */
function* insideOf<Stretch extends RowsStretch>(
  stretches: Iterable<Stretch>,
  isInside: (batch: RecordRows, at: number) => boolean,
): Generator<Stretch> {
  for (const stretch of stretches) {
    const { batch, start, end } = stretch;
    for (let from = start; from < end; from++) {
      let to = from;
      while (to < end && isInside(batch, to)) to++;
      if (to > from) yield { ...stretch, start: from, end: to };
      from = to;
    }
  }
}

/** The requests of the profiling phase that are inside of a window, which ends with the run at the latest. */
function partOf(
  folder: RunFolder,
  { startNs, endNs }: Window,
  isInside: (batch: RecordRows, at: number) => boolean,
): Part {
  const [extent, whole] = [new Extent(), new Extent()];
  for (const stretch of folder.rows()) {
    whole.add(stretch);
    for (const inside of insideOf([stretch], isInside)) extent.add(inside);
  }
  const goesOn = endNs < whole.endNs;
  return { startNs, endNs: goesOn ? endNs : whole.endNs, extent, goesOn };
}

function recomputedNote(told: string): string {
  return `Recomputed from the records: ${told}`;
}

/** The count of a part of the records does not show that some are missing. */
function damageNotes(damage: readonly string[]): string[] {
  return damage.map((text) => `The run is damaged: ${text}`);
}

/** The summary of a run of which a window is looked at. */
function summaryOf(
  summary: RunSummary,
  further: readonly string[],
  part: Part | undefined,
): RunSummary {
  const notes = [...summary.notes, ...further];
  if (part === undefined) return { ...summary, notes };
  const { endNs, extent, goesOn, startNs } = part;
  return {
    ...summary,
    ...{ startNs, sent: extent.count, isPart: true, notes },
    ...(startNs < endNs ? { within: { startNs, endNs } } : {}),
    ...(goesOn ? { goesOn, endNs: Math.min(summary.endNs, endNs) } : {}),
  };
}
