import type { ProfileReport } from "../model/profile_report.ts";

/** Returns the reasons why common metrics are missing, or differ from what users may expect. */
export function hintLines(
  { results, inputConfig, tokenizer, tokenSource }: ProfileReport,
): string[] {
  const { streaming } = inputConfig["endpoint"] as { readonly streaming?: boolean } ?? {};
  const hints: string[] = [];
  // Embeddings and the like have no tokens to stream.
  if (streaming === false && results.has("output_sequence_length")) {
    hints.push("hint: add --streaming to measure TTFT and ITL");
  }
  const isCounted = tokenSource?.input !== "usage" && results.has("input_sequence_length");
  if (tokenizer.startsWith("builtin") && isCounted) {
    hints.push(
      "hint: token counts use o200k_base, not the model's tokenizer; set --tokenizer",
    );
  }
  return hints;
}
