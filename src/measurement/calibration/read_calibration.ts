import { readFile, ReadFileError, utf8Text } from "../../core/files/read_file.ts";
import { type CalibratedMachine, type Calibration, isOfMachine } from "./calibration.ts";

/** Larger than any calibration. */
const MAX_BYTES = 1_000_000;

/** The places where a calibration is looked for. */
export interface CalibrationSource {
  readonly path: string;
  /** Whether the user named it, so that it is wrong if it cannot be used. */
  readonly isNamed: boolean;
}

/** Result of looking for a calibration: the calibration, or why a file cannot be used. */
export interface FoundCalibration {
  readonly calibration?: Calibration;
  readonly problem?: string;
}

/**
 * Reads the calibration of this machine. Calibrations are optional: unless the user specified a
 * file, one that is missing, not readable or of another machine is not an error.
 */
export async function readCalibration(
  { path, isNamed }: CalibrationSource,
  machine: CalibratedMachine,
): Promise<FoundCalibration> {
  let bytes: Uint8Array;
  try {
    bytes = await readFile(path, { maxBytes: MAX_BYTES });
  } catch (error) {
    if (!(error instanceof ReadFileError)) throw error;
    return isNamed ? { problem: `Cannot read ${path}: ${error.message}` } : {};
  }
  // Few have a file, and its schema takes time to load.
  const { parseCalibration } = await import("./calibration_file.ts");
  try {
    const calibration = parseCalibration(utf8Text(bytes));
    if (isOfMachine(calibration, machine)) return { calibration };
    const { hostname, cores } = calibration.machine;
    return isNamed
      ? { problem: `${path} is from another machine (${hostname}, ${cores} cores)` }
      : {};
  } catch (error) {
    if (!(error instanceof SyntaxError || error instanceof ReadFileError)) throw error;
    return {
      problem: `${path} is no calibration: ${error.message}; inferometer calibrate makes a new one`,
    };
  }
}
