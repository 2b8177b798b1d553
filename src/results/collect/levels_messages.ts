import type { FoundAside } from "../../measurement/metrics/found_ahead.ts";

/** What a levels thread is told: whose levels to find. */
export interface ToLevelsThread {
  readonly directory: string;
}

/** What it answers. */
export type FromLevelsThread =
  | { readonly type: "ready" }
  /** undefined if the records cannot be read. */
  | { readonly type: "found"; readonly found: FoundAside | undefined };
