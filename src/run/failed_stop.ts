import { isErrorRateStop } from "../load/error_rate.ts";
import { isUnreadableInput } from "./page_feeder.ts";
import { isLateStart } from "./phase_starts.ts";

/**
 * Whether a run that ended early has failed, whatever it has measured: by its own rules, or by an
 * input file that is wrong further on. Others, whose server went away, have results like any run.
 */
export function isFailedStop(endedEarly: string | undefined): boolean {
  return isErrorRateStop(endedEarly) || isLateStart(endedEarly) || isUnreadableInput(endedEarly);
}
