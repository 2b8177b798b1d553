import { COUNT, TOKEN_SPREAD, TOKENS } from "../number_rows.ts";
import type { OptionTable } from "../option.ts";
import { ENTRIES_WITHOUT_COUNT, MAX_COMPUTED_ENTRIES } from "./computed_defaults.ts";

const INPUT = "Input";

/** A number of different prompts. */
const PROMPTS = { ...COUNT, unit: "prompts", max: 10_000_000 } as const;

/** The options of `inferometer profile` about the lengths and the number of prompts. */
export const LENGTH_OPTIONS = {
  isl: {
    ...TOKENS,
    aliases: ["prompt-input-tokens-mean", "synthetic-input-tokens-mean"],
    group: INPUT,
    sweeps: true,
    help: "Mean tokens of a synthetic prompt",
    common: true,
    brief: "Mean prompt length",
    mistakenFor: ["input-len", "random-input-len", "input-tokens", "prompt-tokens"],
    default: 550,
    example: "--isl 1024",
  },
  islStddev: {
    ...TOKEN_SPREAD,
    aliases: ["prompt-input-tokens-stddev", "synthetic-input-tokens-stddev"],
    group: INPUT,
    sweeps: true,
    help: "Standard deviation of --isl",
    default: 0,
    example: "--isl-stddev 100",
  },
  osl: {
    ...TOKENS,
    aliases: ["prompt-output-tokens-mean", "output-tokens-mean"],
    group: INPUT,
    sweeps: true,
    help: "Mean limit of output tokens per request",
    common: true,
    brief: "Mean output limit [default: up to the server]",
    mistakenFor: ["output-len", "random-output-len", "output-tokens", "max-tokens"],
    defaultText: "up to the server",
    example: "--osl 128 --extra-inputs ignore_eos:true",
  },
  oslStddev: {
    ...TOKEN_SPREAD,
    aliases: ["prompt-output-tokens-stddev", "output-tokens-stddev"],
    group: INPUT,
    sweeps: true,
    help: "Standard deviation of --osl",
    needs: ["osl"],
    default: 0,
    example: "--osl 128 --osl-stddev 20",
  },
  numDatasetEntries: {
    ...PROMPTS,
    group: INPUT,
    help: "Number of different synthetic prompts; they are reused in turn",
    defaultText: `the request count up to ${MAX_COMPUTED_ENTRIES}, or ${ENTRIES_WITHOUT_COUNT}`,
    example: "--num-dataset-entries 100",
  },
  numPrompts: {
    ...PROMPTS,
    group: INPUT,
    help: "Alias of --num-dataset-entries; for the number of requests see --request-count",
    excludes: ["numDatasetEntries"],
  },
} as const satisfies OptionTable;
