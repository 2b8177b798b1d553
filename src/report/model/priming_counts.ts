/** Calls that filled the servers' caches before recorded sessions were entered in their middle. */
export interface PrimingCounts {
  readonly sent: number;
  readonly failed: number;
}
