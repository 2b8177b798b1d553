/** Exit codes of the process. */
export const EXIT_CODE = {
  /** The run is done. */
  done: 0,
  /** No valid request, more failures than allowed, or results that could not be written. */
  failed: 1,
  /** Wrong usage or configuration: nothing was started. */
  usage: 2,
  /** A service level objective or a regression gate was missed. */
  gate: 3,
  /** Ended by SIGINT, with partial results. */
  interrupted: 130,
  /** Ended by SIGTERM, with partial results. */
  terminated: 143,
} as const;
