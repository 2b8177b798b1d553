import type { RunPlan } from "../../config/plan/run_plan.ts";
import type { Paging } from "../dataset/conversations/page_reader.ts";
import { type Dataset, loadDataset } from "../dataset/load_dataset.ts";

/** Paging of large files, and receivers of sentences for the user. */
export interface OpeningHooks {
  readonly paging?: Paging | undefined;
  onWarning(text: string): void;
  onNotice(text: string): void;
}

/**
 * Makes the prompts of a run with the readers of all file formats and public datasets.
 * @throws {DatasetError} if an input or a tokenizer file cannot be used
 * @throws {HubError} if a tokenizer or a dataset cannot be fetched
 */
export function openDataset(
  plan: RunPlan,
  interrupt: AbortSignal,
  hooks: OpeningHooks,
): Promise<Dataset> {
  return loadDataset(plan, interrupt, {
    async openInput(dataset, context) {
      // Readers of files are large, and few runs need them.
      if (dataset.agents !== undefined) {
        const { openSessions } = await import("../sessions/open_sessions.ts");
        const sessions = await openSessions(dataset, context);
        if (sessions !== undefined) return sessions;
      }
      if (dataset.public === undefined) {
        const { openInput } = await import("../dataset/formats/open_input.ts");
        return await openInput(dataset, context);
      }
      const { openPublicDataset } = await import("../dataset/public/read_public_dataset.ts");
      return await openPublicDataset({ ...dataset, public: dataset.public }, context);
    },
    ...hooks,
  });
}
