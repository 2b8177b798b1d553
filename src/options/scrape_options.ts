import type { StandaloneScrapeOptions } from "./scrape_types.ts";
import {
  METRICS_FILE_OPTION_SPECS,
  SCRAPE_OPTION_SPECS as SCRAPING,
} from "./server_metrics_options.ts";
import type { OptionSpec } from "./option.ts";
import { PROFILE_OPTION_SPECS } from "./profile_options.ts";

type Spec = OptionSpec<keyof StandaloneScrapeOptions & string>;

/** Options that mean the same as in `inferometer profile`. */
function shared(...names: readonly string[]): Spec[] {
  return PROFILE_OPTION_SPECS.filter(({ name }) => names.includes(name)) as Spec[];
}

/** The interval has a shorter name where there is nothing but scraping. */
const INTERVAL = {
  name: "interval",
  aliases: ["server-metrics-interval"],
  example: "--interval 1s",
};

/** The options of `inferometer scrape`. */
export const SCRAPE_OPTION_SPECS: readonly Spec[] = [
  {
    name: "duration",
    kind: "duration",
    aliases: ["benchmark-duration"],
    group: "Scraping",
    help: "How long to scrape",
    value: "seconds",
    fallback: "until Ctrl-C",
    example: "--duration 60s",
  },
  ...SCRAPING.filter(({ name }) => name !== "serverMetricsFlushPeriod").map((spec) => ({
    ...spec,
    ...(spec.name === "serverMetricsInterval" ? INTERVAL : {}),
    group: "Scraping",
  })) as Spec[],
  ...shared("caCert").map((spec) => ({ ...spec, group: "Scraping" })),
  ...METRICS_FILE_OPTION_SPECS.map((spec) => ({ ...spec, group: "Output" })) as Spec[],
  ...shared("sliceDuration", "artifactDir", "profileExportPrefix", "overwrite")
    .map((spec) => ({ ...spec, group: "Output" })),
];

/** The options of `inferometer replay`. */
export const REPLAY_OPTION_SPECS: readonly Spec[] = SCRAPE_OPTION_SPECS.filter(({ group }) =>
  group === "Output"
);
