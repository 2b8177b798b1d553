import { profileTypes, serverMetricsTypes } from "./option_types.ts";
import { optionsPage } from "./options_page.ts";

/** The files that are made from the option tables, by their paths in the checkout. */
export const GENERATED_FILES: ReadonlyMap<string, () => string> = new Map([
  ["src/options/profile_types.ts", profileTypes],
  ["src/options/server_metrics_types.ts", serverMetricsTypes],
  ["docs/options.md", optionsPage],
]);
