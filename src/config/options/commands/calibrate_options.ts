import { MAX_WORKERS } from "../max_workers.ts";
import { COUNT, SECONDS } from "../number_rows.ts";
import type { OptionTable } from "../option.ts";

const CALIBRATION = "Calibration";

/** The place where a calibration is stored, as text. */
export const CALIBRATION_PLACE = "inferometer/calibration.json in XDG_CONFIG_HOME or ~/.config";

/** The options of `inferometer calibrate`. */
export const CALIBRATE_OPTIONS = {
  budget: {
    ...SECONDS,
    group: CALIBRATION,
    help: "Maximum duration of the calibration",
    min: 3,
    max: 600,
    default: 30,
    example: "--budget 10s",
  },
  workers: {
    ...COUNT,
    group: CALIBRATION,
    help: "Maximum number of load workers to test",
    unit: "threads",
    max: MAX_WORKERS,
    defaultText: "the number of cores, at least 2",
  },
  output: {
    kind: "text",
    group: CALIBRATION,
    help: "File for the result, read by profile",
    value: "file",
    completes: "file",
    defaultText: CALIBRATION_PLACE,
  },
} as const satisfies OptionTable;
