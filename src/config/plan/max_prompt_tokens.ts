import { TOKENS } from "../options/number_rows.ts";

/**
 * Maximum length of generated prompts and outputs, whether an option, a trace or a random draw
 * requests more.
 */
export const MAX_PROMPT_TOKENS: number = TOKENS.max;
