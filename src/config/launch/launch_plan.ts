/** Input of a script or manifest, for any engine. */
export interface LaunchPlan {
  readonly shards: number;
  readonly tasksPerNode: number;
  readonly cpus: number;
  /** Seconds; undefined for the engine's own. */
  readonly timeLimit: number | undefined;
  readonly jobName: string;
  readonly port: number;
  /** The options of the run as words, without those that the launcher sets, and without secrets. */
  readonly runWords: readonly string[];
  /** The folder of the results; undefined for the engine's own choice. */
  readonly artifactDir: string | undefined;
  /** Seed of the run; undefined where none was named. */
  readonly seed: number | undefined;
  /** Variables with values that must not be written in a script, such as `INFEROMETER_API_KEY`. */
  readonly secretVariables: readonly string[];
  /** The program that printed it. */
  readonly product: string;
}

/** Additional settings for Kubernetes. */
export interface KubernetesPlan extends LaunchPlan {
  readonly image: string;
  readonly memory: string;
  /** Volume claim of the results; undefined where shard 0 gets all files. */
  readonly claim: string | undefined;
  readonly isJobSet: boolean;
  /** Token that authenticates a shard of the run. */
  readonly token: string;
  /** Seed where the run names none: pods have nothing else in common. */
  readonly freshSeed: number;
}
