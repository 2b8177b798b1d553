/**
 * The variables of the environment that the product may read, as `--allow-env` takes them. All
 * others read as if they were not set, in the executable and wherever it names its own flags.
 */
export const ENVIRONMENT_VARIABLES: readonly string[] = [
  "INFEROMETER_*",
  "AIPERF_*",
  // How wide and how colourful the terminal is.
  "COLUMNS",
  "TERM",
  "NO_COLOR",
  "FORCE_COLOR",
];
