import { RunFolderError } from "../collect/run_folder.ts";
import type { CheckedShard } from "./checked_shard.ts";

/** Shards whose facts can be read. */
export type ReadableShard = Extract<CheckedShard, { readonly state: "whole" | "cut" }>;

/**
 * Assures that shards are those of one run.
 * @throws {RunFolderError} that names the first that is not, and what differs
 */
export function assertSameRun(shards: readonly ReadableShard[]): void {
  const [first, ...others] = shards;
  if (first === undefined) return;
  for (const other of others) {
    const differs = DIFFERENCES.find(([, of]) => of(other) !== of(first));
    if (differs === undefined) continue;
    const [what, of] = differs;
    throw new RunFolderError(
      `${other.folder} is no part of the run of ${first.folder}: its ${what} is ${of(other)}, ` +
        `not ${of(first)}`,
    );
  }
}

const DIFFERENCES: readonly (readonly [what: string, of: (shard: ReadableShard) => unknown])[] = [
  ["version", ({ run }) => run.product],
  ["seed", ({ run }) => run.facts.plan.seed],
  ["plan", ({ run }) => run.planHash.slice(0, 12)],
];
