/**
 * `sweep.json`: the plan of a command with several runs. It is written before the first run, so
 * that an interrupted command can be continued, and its combined files be regenerated.
 */

import { readStoredJson, storedJson } from "../export/stored_json.ts";
import type { ConvergencePlan } from "./convergence.ts";
import type { SearchPlan } from "./search_plan.ts";
import type { SweepShape } from "./sweep_layout.ts";
import type { SweepPoint } from "./sweep_points.ts";

/** The layout of the file. */
const FORMAT = "inferometer-sweep";
/** Newest version of the file. */
const VERSION = 1;

/** See the module's comment. */
export interface SweepManifest {
  /** The program that wrote it, as `inferometer/0.1.0`. */
  readonly product: string;
  readonly shape: SweepShape;
  readonly sweepType: "grid" | "zip";
  /** All points of a sweep; those of a search that were tried so far. */
  readonly points: readonly SweepPoint[];
  readonly confidenceLevel: number;
  readonly cooldownSeconds: number;
  readonly pointCooldownSeconds: number;
  readonly disableWarmupAfterFirst: boolean;
  readonly sameSeed: boolean;
  readonly varySeedPerTrial: boolean;
  readonly convergence?: ConvergencePlan | undefined;
  readonly search?: SearchPlan | undefined;
  /** Seed of the first run; undefined if each run draws its own. */
  readonly seed?: number | undefined;
  /**
   * Salt that sets the synthetic prompts of this command apart from those of other commands, and whether
   * each run of a point has prompts of its own. Absent where the prompts follow from the seed, and
   * in files of older versions.
   */
  readonly promptSalt?: { readonly number: number; readonly perTrial: boolean } | undefined;
  /** The user's own beginning of the files' names. */
  readonly prefix?: string | undefined;
  /** The command line as it may be shown. */
  readonly command: string;
  /** The options that were given, without secrets. */
  readonly options: Readonly<Record<string, unknown>>;
  /** Options that are left out of these because they hold a secret. */
  readonly secretOptions: readonly string[];
  /** Sentences about what went on between the runs. */
  readonly notes: readonly string[];
  /** Whether all planned steps are done. */
  readonly isComplete: boolean;
}

/** A file that is no `sweep.json`, or one of a newer version. */
export class SweepManifestError extends Error {
  override readonly name = "SweepManifestError";
}

/** The text of the file. */
export function sweepManifestText(manifest: SweepManifest): string {
  return `${storedJson({ format: FORMAT, version: VERSION, ...manifest })}\n`;
}

/**
 * Reads the text of the file.
 * @throws {SweepManifestError} if it is not a manifest, or of a newer version
 */
export function readSweepManifest(text: string): SweepManifest {
  let value: Record<string, unknown>;
  try {
    value = readStoredJson(text) as Record<string, unknown>;
  } catch {
    throw new SweepManifestError("Not valid JSON");
  }
  const { format, version, ...manifest } = value ?? {};
  if (format !== FORMAT || typeof version !== "number") {
    throw new SweepManifestError(`Not a file of format "${FORMAT}"`);
  }
  if (version > VERSION) {
    throw new SweepManifestError(`Version ${version} is newer than this program`);
  }
  const { shape, points, options } = manifest as unknown as SweepManifest;
  if (typeof shape?.kind !== "string" || !Array.isArray(points) || typeof options !== "object") {
    throw new SweepManifestError("Is not complete");
  }
  return manifest as unknown as SweepManifest;
}
