import type { BenchRow } from "./bench_row.ts";
import type { LoadClient } from "./load_client.ts";
import type { LoadTarget, TargetOptions } from "./load_target.ts";
import type { MachineWatch } from "./machine_use.ts";
import type { Product } from "./product.ts";

/** Which runs of a case that has many, and what is kept of them. */
export interface RunSelection {
  /** Those whose names match. */
  readonly filter: RegExp;
  /** Of these the `part`th of `parts` parts, from 1. */
  readonly part: number;
  readonly parts: number;
  /** Folder of the outcomes, of this and of earlier calls; undefined to keep none. */
  readonly resultsFolder: string | undefined;
  /** Folder in which each run's files are kept; undefined to remove them. */
  readonly keepFolder: string | undefined;
}

/** What a case works with. */
export interface BenchContext {
  /** Rounds of each comparison. */
  readonly rounds: number;
  /** So long a run waits for the machine to be quiet. */
  readonly patienceMs: number;
  /** Whether the load target is the product's own mock server. */
  readonly ownTarget: boolean;
  /** The product as it is to be measured. */
  readonly product: Product;
  /** The executable; undefined if none was named. */
  readonly binary: string | undefined;
  /** The peers at hand; empty if none were named. */
  readonly peers: readonly LoadClient[];
  readonly machine: MachineWatch;
  /** The part of the cases' runs that is wanted, and where to keep what came of them. */
  readonly selection: RunSelection;
  /** Starts a load target; whoever does so ends it. */
  startTarget(options: TargetOptions): Promise<LoadTarget>;
  /** Says what is being done. */
  progress(text: string): void;
}

/** Some quantities that are measured together. */
export interface BenchCase {
  /** As `--only` names it. */
  readonly name: string;
  readonly description: string;
  run(context: BenchContext): Promise<readonly BenchRow[]>;
}
