import { SECONDS_OR_INF } from "../number_rows.ts";
import type { OptionRow, OptionTable } from "../option.ts";
import { PROFILE_OPTIONS } from "../profile/profile_options.ts";
import { METRICS_FILE_OPTIONS, SCRAPING_OPTIONS } from "../profile/server_metrics_options.ts";

const { artifactDir, caCert, overwrite, profileExportPrefix } = PROFILE_OPTIONS;
const { serverMetricsInterval, serverMetricsFlushPeriod: _, ...scraping } = SCRAPING_OPTIONS;

/** The options of files that scrape and profile have in common. */
const OUTPUT = inGroup("Output", {
  ...METRICS_FILE_OPTIONS,
  artifactDir: {
    ...artifactDir,
    help: "Output folder; if it is not empty, a numbered folder is created",
  },
  profileExportPrefix,
  overwrite,
});

/** The options of `inferometer scrape`. */
export const SCRAPE_OPTIONS = {
  ...inGroup("Scraping", {
    duration: {
      ...SECONDS_OR_INF,
      aliases: ["benchmark-duration"],
      group: "Scraping",
      help: "Duration of scraping",
      exclusive: true,
      common: true,
      defaultText: "until Ctrl-C",
      example: "--duration 60s",
    },
    // A shorter name where there is nothing but scraping.
    interval: {
      ...serverMetricsInterval,
      aliases: ["server-metrics-interval"],
      common: true,
      example: "--interval 1s",
    },
    ...scraping,
    caCert,
  }),
  ...OUTPUT,
  artifactDir: { ...OUTPUT.artifactDir, defaultText: "artifacts/scrape-<host>" },
} as const satisfies OptionTable;

/** The options of `inferometer replay`. */
export const REPLAY_OPTIONS = {
  ...OUTPUT,
  sliceDuration: { ...OUTPUT.sliceDuration, defaultText: "as recorded" },
  artifactDir: {
    ...OUTPUT.artifactDir,
    default: "artifacts/replay",
    defaultText: "artifacts/replay",
  },
} as const satisfies OptionTable;

/** Returns the options under another heading. */
function inGroup<const Table extends OptionTable>(
  group: string,
  table: Table,
): { readonly [Name in keyof Table]: Omit<Table[Name], "group"> & Pick<OptionRow, "group"> } {
  return Object.fromEntries(
    Object.entries(table).map(([name, row]) => [name, { ...row, group }]),
  ) as ReturnType<typeof inGroup<Table>>;
}
