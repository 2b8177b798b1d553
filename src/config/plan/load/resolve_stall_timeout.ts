import { STALL_TIMEOUT_SECONDS } from "../../options/profile/computed_defaults.ts";
import type { ProfileSettings } from "../../options/profile/profile_options.ts";
import type { RunPlan } from "../run_plan.ts";

/**
 * The maximum time without a byte of a reply. A server sends nothing while it works on a
 * non-streamed reply, so that such a reply has no limit by default.
 */
export function resolveStallTimeout(
  { defaults, stallTimeout }: Pick<ProfileSettings, "defaults" | "stallTimeout">,
  { streaming }: Pick<RunPlan["body"], "streaming">,
): Pick<RunPlan, "stallTimeoutNs"> {
  const seconds = stallTimeout ??
    (streaming && defaults !== "aiperf" ? STALL_TIMEOUT_SECONDS : 0);
  return seconds > 0 && seconds < Infinity ? { stallTimeoutNs: seconds * 1e9 } : {};
}
