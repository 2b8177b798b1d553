import { agentTypes, profileTypes, promptTypes, serverMetricsTypes } from "./option_types.ts";
import { filesPage } from "./files_page.ts";
import { livePageAssets } from "./live_page_assets.ts";
import { LOAD_SHAPE_PICTURES } from "./load_shape_pictures.ts";
import { metricsPage } from "./metrics_page.ts";
import { optionsPage } from "./options_page.ts";
import { pageAssets } from "./page_assets.ts";
import { rolesPage } from "./roles_page.ts";
import { sweepPageAssets } from "./sweep_page_assets.ts";
import { thirdPartyLicenses } from "./third_party_licenses.ts";

/** The text of a file. */
type FileText = () => string | Promise<string>;

/**
 * The files that are made from the option tables, the catalog of metrics, the JSON Schemas, the
 * workloads, the licenses of packages, and the scripts of reports and of the live page, by their paths in the checkout.
 */
export const GENERATED_FILES: ReadonlyMap<string, FileText> = new Map<string, FileText>([
  ["src/config/options/profile/profile_types.ts", profileTypes],
  ["src/config/options/profile/prompt_types.ts", promptTypes],
  ["src/config/options/profile/agent_types.ts", agentTypes],
  ["src/config/options/profile/server_metrics_types.ts", serverMetricsTypes],
  ["docs/options.md", optionsPage],
  ["docs/metrics.md", metricsPage],
  ["docs/files.md", filesPage],
  ["docs/server_roles.md", rolesPage],
  ["src/report/html/page_assets.json", pageAssets],
  ["src/report/html/sweep_page_assets.json", sweepPageAssets],
  ["src/report/live/live_page_assets.json", livePageAssets],
  ["src/cli/commands/licenses.txt", thirdPartyLicenses],
  ...LOAD_SHAPE_PICTURES,
]);
