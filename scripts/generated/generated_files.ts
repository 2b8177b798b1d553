import { profileTypes, serverMetricsTypes } from "./option_types.ts";
import { filesPage } from "./files_page.ts";
import { metricsPage } from "./metrics_page.ts";
import { optionsPage } from "./options_page.ts";

/** The files that are made from the option tables, the catalog of metrics and the JSON Schemas, by their paths in the checkout. */
export const GENERATED_FILES: ReadonlyMap<string, () => string> = new Map([
  ["src/options/profile_types.ts", profileTypes],
  ["src/options/server_metrics_types.ts", serverMetricsTypes],
  ["docs/options.md", optionsPage],
  ["docs/metrics.md", metricsPage],
  ["docs/files.md", filesPage],
]);
