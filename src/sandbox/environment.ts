/**
 * The variables of the environment that the product may read, as `--allow-env` takes them. All
 * others read as if they were not set, in the executable and wherever it names its own flags.
 *
 * The runtime itself reads some, whatever the permissions: HTTP_PROXY, HTTPS_PROXY, ALL_PROXY and
 * NO_PROXY with `--transport fetch`, SSLKEYLOGFILE, and NODE_EXTRA_CA_CERTS. OTEL_DENO counts under
 * `deno run` alone: in an executable it was fixed, to off, when it was compiled.
 */
export const ENVIRONMENT_VARIABLES: readonly string[] = [
  "INFEROMETER_*",
  "AIPERF_*",
  // Where the local cache of a model hub is, and the hub; see `src/hub/hub_settings.ts`.
  ...["HF_HOME", "HF_HUB_CACHE", "HF_ENDPOINT", "HF_TOKEN", "HF_HUB_OFFLINE"],
  ...["XDG_CACHE_HOME", "HOME", "USERPROFILE"],
  // Where the calibration of this machine is kept; see `src/calibration/calibration_path.ts`.
  "XDG_CONFIG_HOME",
  // How wide and how colourful the terminal is.
  "COLUMNS",
  "TERM",
  "NO_COLOR",
  "FORCE_COLOR",
  // Where a job of GitHub Actions shows what its gates came to.
  "GITHUB_STEP_SUMMARY",
  // Where `--transport fetch` sends requests, to say so.
  ...["ALL_PROXY", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY"],
  ...["all_proxy", "http_proxy", "https_proxy", "no_proxy"],
];
