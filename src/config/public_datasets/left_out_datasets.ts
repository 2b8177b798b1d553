import { plainName } from "./public_datasets.ts";

/** Datasets of AIPerf that are not supported here, by the beginning of their names. */
const LEFT_OUT: readonly (readonly [beginning: string, why: string])[] = [
  ...["exgentic", "semianalysis_cc_traces_weka", "weka_hf", "tracelab"].map((name) =>
    [
      name,
      "a trace of agents, which is not downloaded: download one of its files and give it with " +
      "--input-file",
    ] as const
  ),
  ...["mmlu", "hellaswag", "bigbench", "gpqa", "lcb_codegeneration"].map((name) =>
    [
      name,
      "a suite of accuracy: what a model answers is not graded here",
    ] as const
  ),
];

/** Returns the reason why a known dataset is not supported; undefined otherwise. */
export function whyLeftOut(name: string): string | undefined {
  const plain = plainName(name);
  return LEFT_OUT.find(([beginning]) => plain.startsWith(plainName(beginning)))?.[1];
}
