import { inspectSessions as inspectInput } from "../../load/sessions/inspect_sessions.ts";
import { metricObjects } from "../../report/export/metric_object.ts";
import { ExportError } from "../../report/export/export_error.ts";
import type { ProfileOptions } from "../../config/options/profile/profile_types.ts";
import { resolvePlan } from "../../config/plan/resolve/resolve_plan.ts";
import type { MetricStatistics, ProfileHooks, ProfileResult } from "./profile_result.ts";
import { runProfile } from "./run_profile.ts";
import { findModel } from "./server_probe.ts";
import { waitForReadiness } from "./inference_probe.ts";

/** Runs a benchmark for the library's `profile`, which documents it. */
export async function measureProfile(
  options: ProfileOptions,
  hooks: ProfileHooks,
): Promise<ProfileResult> {
  const interrupt = hooks.signal ?? new AbortController().signal;
  const plan = await resolvePlan(options, {
    cores: navigator.hardwareConcurrency,
    cliCommand: "profile()",
    ...(hooks.onWarning === undefined ? {} : { onWarning: hooks.onWarning }),
    inspectInput,
    findModel: (targets, access) => findModel(targets, access, interrupt),
  });
  await waitForReadiness(plan, options.model === undefined, interrupt);
  const { report, directory, exportFailure, exports } = await runProfile(plan, {
    interrupt,
    ...(hooks.onProgress === undefined ? {} : { onProgress: hooks.onProgress }),
    ...(hooks.onWarning === undefined ? {} : { onWarning: hooks.onWarning }),
  });
  if (exportFailure !== undefined) throw new ExportError(directory, exportFailure);
  const { requests, errors, clientHealth, wasCancelled, isComplete, endReason } = report;
  return {
    metrics: metricObjects(report.results) as Record<string, MetricStatistics>,
    requests,
    errors,
    clientHealth,
    wasCancelled,
    isComplete,
    endReason,
    notes: report.notes,
    directory,
    files: report.files,
    exports,
  };
}
