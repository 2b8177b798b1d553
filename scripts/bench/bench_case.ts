import type { BenchRow } from "./bench_row.ts";
import type { LoadClient } from "./load_client.ts";
import type { LoadTarget, TargetTiming } from "./load_target.ts";
import type { MachineWatch } from "./machine_use.ts";
import type { Product } from "./product.ts";

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
  /** Starts a load target; whoever does so ends it. */
  startTarget(timing: TargetTiming): Promise<LoadTarget>;
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
