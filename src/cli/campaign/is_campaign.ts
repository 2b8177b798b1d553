import type { SweepSettings } from "../../config/options/commands/sweep_options.ts";
import type { SweptOption } from "../../config/options/swept_options.ts";

/** Whether options ask for several runs. */
export function isCampaign(settings: SweepSettings, swept: readonly SweptOption[]): boolean {
  const { numProfileRuns, search, searchRecipe, resume } = settings;
  return swept.length > 0 || numProfileRuns > 1 || (search ?? searchRecipe ?? resume) !== undefined;
}
