/** Options that provide prompts, with which options of synthetic prompts have no effect. */
export const GIVEN_PROMPTS = ["inputFile", "publicDataset"] as const;
