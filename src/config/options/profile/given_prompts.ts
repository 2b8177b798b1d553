/** Options that bring prompts, beside which those about synthetic ones mean nothing. */
export const GIVEN_PROMPTS = ["inputFile", "publicDataset"] as const;
