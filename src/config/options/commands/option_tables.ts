import { AIPERF_OPTIONS } from "./aiperf_options.ts";
import { ANALYZE_TRACE_OPTIONS } from "./analyze_trace_options.ts";
import { CALIBRATE_OPTIONS } from "./calibrate_options.ts";
import { COMPARE_OPTIONS, GATE_OPTIONS } from "./compare_options.ts";
import { CONFIG_OPTIONS } from "./config_options.ts";
import { EXPORT_OPTIONS } from "./export_options.ts";
import { IMPORT_OPTIONS } from "./import_options.ts";
import { LEFT_OUT_OPTIONS } from "./left_out_options.ts";
import { INTERFACE_OPTIONS } from "./interface_options.ts";
import { LAUNCH_OPTIONS } from "./launch_options.ts";
import { MERGE_OPTIONS } from "./merge_options.ts";
import { MOCK_OPTIONS } from "./mock_options.ts";
import type { OptionTable } from "../option.ts";
import { PARSE_OPTIONS } from "../parse_options.ts";
import { PLOT_OPTIONS } from "./plot_options.ts";
import { PROFILE_OPTIONS } from "../profile/profile_options.ts";
import { RECOMPUTE_OPTIONS } from "./recompute_options.ts";
import { REPORT_OPTIONS } from "./report_options.ts";
import { ENDPOINTS_OPTIONS } from "./endpoints_options.ts";
import { BUNDLE_OPTIONS, RUNS_OPTIONS } from "./runs_options.ts";
import { REPLAY_OPTIONS, SCRAPE_OPTIONS } from "./scrape_options.ts";
import { SWEEP_OPTIONS } from "./sweep_options.ts";
import { VERSION_OPTIONS } from "./version_options.ts";

/** The options of `inferometer profile`: those of a run, of several, of the program, AIPerf's. */
export const PROFILE_COMMAND_OPTIONS = {
  ...PROFILE_OPTIONS,
  ...SWEEP_OPTIONS,
  ...INTERFACE_OPTIONS,
  ...AIPERF_OPTIONS,
  ...LEFT_OUT_OPTIONS,
} as const;

/** The options of every command that has some, by the command's name. */
export const OPTION_TABLES: ReadonlyMap<string, OptionTable> = new Map<string, OptionTable>([
  ["profile", PROFILE_COMMAND_OPTIONS],
  ["launch", LAUNCH_OPTIONS],
  ["merge", MERGE_OPTIONS],
  ["report", REPORT_OPTIONS],
  ["plot", PLOT_OPTIONS],
  ["export", EXPORT_OPTIONS],
  ["gate", GATE_OPTIONS],
  ["compare", COMPARE_OPTIONS],
  ["runs", RUNS_OPTIONS],
  ["endpoints", ENDPOINTS_OPTIONS],
  ["bundle", BUNDLE_OPTIONS],
  ["recompute", RECOMPUTE_OPTIONS],
  ["import", IMPORT_OPTIONS],
  ["scrape", SCRAPE_OPTIONS],
  ["replay", REPLAY_OPTIONS],
  ["calibrate", CALIBRATE_OPTIONS],
  ["mock", MOCK_OPTIONS],
  ["analyze-trace", ANALYZE_TRACE_OPTIONS],
  ["config", CONFIG_OPTIONS],
  ["parse", PARSE_OPTIONS],
  ["version", VERSION_OPTIONS],
]);
