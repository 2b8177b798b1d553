import { UsageError } from "../../config/options/usage_error.ts";
import { phaseOfShard } from "../../config/plan/phase_of_shard.ts";
import type { RunPlan } from "../../config/plan/run_plan.ts";
import { missingDescriptors } from "../../run/runner/file_descriptors.ts";
import { waitForReadiness } from "../../run/runner/inference_probe.ts";
import { prefixCacheNote, resetPrefixCache } from "../../run/runner/reset_prefix_cache.ts";
import { type RunOutcome, runProfile } from "../../run/runner/run_profile.ts";
import { cacheReset } from "./cache_reset.ts";
import { isReachableFromOutside, liveUrl } from "./live_address.ts";
import type { ProfileRequest } from "./profile_request.ts";
import { beginProgressView } from "../terminal/begin_progress_view.ts";
import { writeMessage } from "../terminal/terminal.ts";

/**
 * Runs a plan, and shows how far it is.
 * @param onThreadsStarted called when this thread may give up its permissions
 */
export async function measuredRun(
  { options, settings, live, signals, screen, sweep, warm }: ProfileRequest,
  plan: RunPlan,
  onThreadsStarted?: () => Promise<void>,
): Promise<RunOutcome> {
  checkDescriptors(plan);
  // Who had to ask for the model has waited before that.
  await waitForReadiness(plan, options.model === undefined, signals.signal);
  signals.signal.throwIfAborted();
  const notes = await cacheNotes(plan, cacheReset(sweep), signals.signal);
  const served = live === undefined ? [] : [`live: ${liveUrl(live)}`];
  if (live !== undefined && isReachableFromOutside(live)) {
    writeMessage(
      "warning",
      "--live: others than this machine can reach it; who has the token sees the run",
    );
  }
  const mayRead = plan.dataset.source !== "file" || plan.dataset.path !== "-";
  const view = await beginProgressView(settings.ui, signals, mayRead, served);
  try {
    return await runProfile(plan, {
      interrupt: signals.signal,
      notes,
      ...warm,
      ...view.hooks,
      ...(live === undefined ? {} : { live }),
      onWarning: (text) => view.say("warning", text),
      onNotice: (text) => view.say("note", text),
      ...(onThreadsStarted === undefined ? {} : { onThreadsStarted }),
      screen,
    });
  } finally {
    view.close();
  }
}

/** Has prefix caches reset where that is wanted; what the report has to say about it. */
async function cacheNotes(
  plan: RunPlan,
  reset: ReturnType<typeof cacheReset>,
  interrupt: AbortSignal,
): Promise<string[]> {
  if (reset === undefined) return [];
  const missing = await resetPrefixCache(plan, reset, interrupt);
  if (missing.length === 0) return [];
  const note = prefixCacheNote(missing);
  writeMessage("warning", note);
  return [note];
}

function checkDescriptors(plan: RunPlan): void {
  const most = Math.max(
    ...plan.phases.map((phase) => {
      const { concurrency } = phaseOfShard(phase, plan.shard).load;
      return concurrency < Infinity ? concurrency : 0;
    }),
  );
  const needed = missingDescriptors(most, plan.workers);
  if (needed !== undefined) {
    throw new UsageError(
      "--concurrency",
      `${most} connections need ${needed} file descriptors, more than this process may open: ` +
        `raise the limit (ulimit -n ${needed}) or lower the concurrency`,
    );
  }
}
