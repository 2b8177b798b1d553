import type { RunHooks } from "../../run/runner/run_hooks.ts";

/** What shows how far a run is. */
export interface ProgressView {
  readonly hooks: Pick<RunHooks, "onProgress" | "onStage" | "onLive" | "onServing" | "onSteering">;
  /** Says something that belongs to no output: a warning, or a note. */
  say(level: "warning" | "note", text: string): void;
  /** Takes it off the screen, to write something else. */
  close(): void;
}

/** Ways to show progress. */
export type ProgressKind = "auto" | "simple" | "dashboard" | "none";
