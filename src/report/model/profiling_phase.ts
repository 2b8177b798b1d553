import type { ProfileReport } from "./profile_report.ts";

/** A phase as files show it; times in seconds, rates per second. */
export interface PhaseConfig {
  readonly kind: string;
  readonly type: string;
  readonly requests?: number;
  readonly sessions?: number;
  readonly duration?: number;
  readonly concurrency?: number;
  readonly "prefill_concurrency"?: number;
  readonly rate?: number;
}

/** The profiling phase as files show it; undefined if they do not. */
export function profilingPhase(
  { inputConfig }: Pick<ProfileReport, "inputConfig">,
): PhaseConfig | undefined {
  const { phases = [] } = inputConfig as { readonly phases?: readonly PhaseConfig[] };
  return phases.find(({ kind }) => kind === "profiling");
}
