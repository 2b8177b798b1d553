/** Fields of rows and columns of tables with the maximum length of a reply, vLLM's name first. */
export const LENGTH_FIELDS = [
  "output_tokens",
  "output_len",
  "output_length",
  "output_tokens_count",
  "max_tokens",
  "max_completion_tokens",
] as const;
