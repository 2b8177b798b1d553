/** Facts detected at the beginning of an input file. */
export interface InputFacts {
  /** Name of its format. */
  readonly format: string;
  /** Whether it is a trace: rows of lengths, mostly with times. */
  readonly isTrace: boolean;
  /** Whether it has recorded agent sessions. @default false */
  readonly hasAgents?: boolean;
  /** Whether its first record has a time at which it can be sent. */
  readonly hasTimestamps: boolean;
  /** Detected format and the reason; undefined if the user named the format. */
  readonly notice: string | undefined;
}
