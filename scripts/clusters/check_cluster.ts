// deno-lint-ignore-file no-console
import { Steps } from "./steps.ts";

/** A cluster on this machine; all that belongs to it lies in a folder. */
export interface LabCluster {
  readonly lab: string;
  down(): Promise<void>;
}

/** A program that starts a cluster, takes steps on it, and ends it. */
export interface ClusterCheck<C extends LabCluster> {
  /** What is checked, as a note says it. */
  readonly what: string;
  /** Why this machine cannot have the cluster; undefined if it can. */
  readonly obstacle: string | undefined;
  /** Begins the name of its folder. */
  readonly prefix: string;
  /** Leaves the folder in place. */
  readonly keep: boolean | undefined;
  /** Names of the steps that are taken; all by default. */
  readonly only: readonly string[] | undefined;
  create(lab: string): C;
  /** Starts the cluster, and takes the steps. */
  take(cluster: C, steps: Steps): Promise<void>;
}

/**
 * Checks something on a cluster, which ends whatever happens.
 * @returns the exit code: 0 where the machine cannot have it, too
 */
export async function checkCluster<C extends LabCluster>(check: ClusterCheck<C>): Promise<number> {
  if (check.obstacle !== undefined) {
    console.log(`skipped: ${check.what}: ${check.obstacle}`);
    return 0;
  }
  const cluster = check.create(await Deno.makeTempDir({ prefix: check.prefix }));
  await Deno.chmod(cluster.lab, 0o755);
  const steps = new Steps(check.only);
  try {
    await check.take(cluster, steps);
  } finally {
    await cluster.down();
    if (check.keep === true) console.log(`kept: ${cluster.lab}`);
    else await Deno.remove(cluster.lab, { recursive: true });
  }
  return steps.end();
}
