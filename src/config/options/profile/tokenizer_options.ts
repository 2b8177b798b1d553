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
    help: "Seed of prompts, lengths and arrivals",
    mistakenFor: ["seed"],
    defaultText: "random, recorded in the results",
    example: "--random-seed 42",
  },
  tokenizer: {
    kind: "text",
    group: INPUT,
    help: "Tokenizer: builtin (o200k_base), a tokenizer.json or its folder, or a model name " +
      "(local cache, else HF_ENDPOINT)",
    value: "name",
    completes: "file",
    common: true,
    defaultText: "the model's own if cached locally, else usage in replies and builtin",
    example: "--tokenizer Qwen/Qwen3-0.6B",
  },
  tokenizerRevision: {
    kind: "text",
    group: INPUT,
    help: "Branch, tag or commit of the tokenizer's repository",
    value: "revision",
    default: "main",
  },
  offline: {
    kind: "flag",
    group: INPUT,
    help: "Do not download from a hub, as with HF_HUB_OFFLINE=1",
  },
  useServerTokenCount: {
    kind: "flag",
    group: INPUT,
    help: "Take token counts from the server's usage instead of a tokenizer",
  },
} as const satisfies OptionTable;
