import { TOKENS } from "../options/number_rows.ts";

/** No longer prompts and outputs are made, whether an option, a trace or chance asks for them. */
export const MAX_PROMPT_TOKENS: number = TOKENS.max;
