/** The time at which a run begins, and with whom. */
export type StartPlan =
  & {
    /** How much later than agreed a phase may begin. */
    readonly maxLateNs: number;
  }
  & (
    | StartTime
    | RendezvousPlan
    | BarrierPlan
  );

/** A time of the wall clock. */
export interface StartTime {
  readonly by: "time";
  /** Milliseconds since 1970. */
  readonly epochMs: number;
}

/** Shard 0 listens, the others come to it. */
export interface RendezvousPlan {
  readonly by: "rendezvous";
  readonly hostname: string;
  readonly port: number;
  /** Token that authenticates a shard of the run; empty if it was read from a file. */
  readonly token: string;
  readonly timeoutNs: number;
  /** Whether shard 0 gets the files of the others. */
  readonly collects: boolean;
}

/** A folder that all shards see. */
export interface BarrierPlan {
  readonly by: "barrier";
  readonly directory: string;
  readonly timeoutNs: number;
}
