import { environmentVariable } from "../../config/options/environment_variable.ts";
import { UsageError } from "../../config/options/usage_error.ts";
import type { Calibration } from "../../measurement/calibration/calibration.ts";
import { calibrationPath } from "../../measurement/calibration/calibration_path.ts";
import { readCalibration } from "../../measurement/calibration/read_calibration.ts";
import { machineFacts } from "../../run/runner/machine_facts.ts";

/** What stands for no file. */
const NONE = "none";

/**
 * The file in which the calibration is looked for; undefined for none.
 * @param named value of `--calibration`
 */
export function calibrationFile(named: string | undefined): string | undefined {
  return named === NONE ? undefined : named ?? calibrationPath(environmentVariable);
}

/**
 * The calibration of this machine, if there is one.
 * @param named value of `--calibration`
 * @param onWarning called if the file in the usual place cannot be used
 * @throws {UsageError} if a file that the user named cannot be used
 */
export async function machineCalibration(
  named: string | undefined,
  onWarning: (text: string) => void,
): Promise<Calibration | undefined> {
  const path = calibrationFile(named);
  if (path === undefined) return undefined;
  const isNamed = named !== undefined;
  const { calibration, problem } = await readCalibration({ path, isNamed }, machineFacts());
  if (problem === undefined) return calibration;
  if (isNamed) throw new UsageError("--calibration", problem);
  onWarning(problem);
  return undefined;
}
