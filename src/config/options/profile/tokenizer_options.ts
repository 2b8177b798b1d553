import { SEED } from "../number_rows.ts";
import type { OptionTable } from "../option.ts";

const INPUT = "Input";

/** The options of `inferometer profile` about the order of prompts, and counting their tokens. */
export const TOKENIZER_OPTIONS = {
  datasetSamplingStrategy: {
    kind: "text",
    group: INPUT,
    help: "Order in which prompts are used",
    value: "strategy",
    choices: ["sequential", "random", "shuffle"],
    default: "sequential",
    example: "--dataset-sampling-strategy shuffle",
  },
  randomSeed: {
    ...SEED,
    group: INPUT,
    help: "Seed for prompts, lengths and arrivals",
    mistakenFor: ["seed"],
    defaultText: "random, recorded in the results",
    example: "--random-seed 42",
  },
  tokenizer: {
    kind: "text",
    group: INPUT,
    help: "Tokenizer: builtin (o200k_base), a tokenizer.json or its folder, or a model's name " +
      "(from the local cache, else from the hub at HF_ENDPOINT)",
    value: "name",
    completes: "file",
    common: true,
    defaultText: "the model's own if the local cache has it, else usage in replies and builtin",
    example: "--tokenizer Qwen/Qwen3-0.6B",
  },
  tokenizerRevision: {
    kind: "text",
    group: INPUT,
    help: "Branch, tag or commit of a tokenizer that is named",
    value: "revision",
    default: "main",
  },
  offline: {
    kind: "flag",
    group: INPUT,
    help: "Fetch nothing from a hub; HF_HUB_OFFLINE=1 does the same",
  },
  useServerTokenCount: {
    kind: "flag",
    group: INPUT,
    help: "Take token counts from the server's usage instead of counting",
  },
} as const satisfies OptionTable;
