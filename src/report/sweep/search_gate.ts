/** Objective of a run of a search, and the value that was found. */
export interface SearchGate {
  readonly name: string;
  readonly metric: string;
  readonly statistic: string;
  /** `< 500 ms`. */
  readonly condition: string;
  /** `111 ms`. */
  readonly found: string;
  readonly met: boolean;
  /** Whether the client's own error could have changed the verdict. */
  readonly doubtful: boolean;
  /** Whether another run would give the same verdict; missing in files of older versions. */
  readonly conclusive?: boolean;
  /** Confidence interval, widened by the client's error; missing if it is not known. */
  readonly lower?: number;
  readonly upper?: number;
  readonly threshold: number;
  readonly unit: string;
  readonly operator: string;
  /** undefined where the run has none. */
  readonly value: number | undefined;
}
