import { endpointType } from "../endpoint/endpoint_types.ts";
import type { RunPlan } from "../plan/run_plan.ts";
import type { PayloadTable } from "./payload_table.ts";
import { syntheticDataset } from "./synthetic_dataset.ts";
import { untilAborted } from "../thread/until_aborted.ts";
import { buildTokenizer, readTokenizerSource, type TokenizerSource } from "./tokenizer_source.ts";

/** The prompts of a run, and what is needed to count the tokens of its replies. */
export interface Dataset {
  readonly payloads: PayloadTable;
  /** `server` if the replies' tokens are not counted here. */
  readonly tokenizer: TokenizerSource;
}

/**
 * Makes all prompts of a run and reads its tokenizer, so that nothing is left to read when the
 * first request goes out.
 * @param interrupt ends it, however much there is to do
 * @throws {DatasetError} if an input or a tokenizer file cannot be used
 */
export async function loadDataset(plan: RunPlan, interrupt: AbortSignal): Promise<Dataset> {
  const type = endpointType(plan.endpointType);
  const source = await untilAborted(readTokenizerSource(plan), interrupt);
  const tokenizer: TokenizerSource = plan.useServerTokenCount ? { kind: "server" } : source;
  const { dataset } = plan;
  if (dataset.source === "synthetic") {
    // The corpus carries its counts for the builtin tokenizer, which then need not be built.
    const counting = source.kind === "file" ? await buildTokenizer(source) : undefined;
    return {
      payloads: await syntheticDataset(plan, dataset, type, counting, interrupt),
      tokenizer,
    };
  }
  const { fileDataset } = await import("./file_dataset.ts");
  const counting = await buildTokenizer(tokenizer);
  return { payloads: await fileDataset(plan, dataset, type, counting, interrupt), tokenizer };
}
