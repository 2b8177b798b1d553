import { COUNT, TOKENS } from "../number_rows.ts";
import { GIVEN_PROMPTS } from "./given_prompts.ts";
import type { OptionTable } from "../option.ts";

const PROMPTS = "Prompts";

/** A length that an option switches on. */
const PART = { ...TOKENS, group: PROMPTS, excludes: GIVEN_PROMPTS } as const;

/** The options of `inferometer profile` for the content of prompts. */
export const PROMPT_OPTIONS = {
  seqDist: {
    kind: "text",
    group: PROMPTS,
    aliases: ["sequence-distribution"],
    help: "Distribution of input and output lengths with percentages: " +
      "ISL[|stddev],OSL[|stddev]:percent;..., [(ISL,OSL):percent,...] or JSON",
    value: "pairs",
    json: true,
    mistakenFor: ["sequence-lengths", "length-distribution"],
    excludes: [...GIVEN_PROMPTS, "randomRangeRatio"],
    example: '--seq-dist "256,128:40;512|20,256|10:60"',
  },
  randomRangeRatio: {
    kind: "text",
    group: PROMPTS,
    help:
      'Range of uniform lengths around --isl and --osl: a ratio, or {"input":ratio,"output":ratio}',
    value: "ratio",
    json: true,
    needs: ["isl"],
    excludes: [...GIVEN_PROMPTS, "islStddev", "oslStddev"],
    mistakenFor: ["range-ratio"],
    example: "--isl 1000 --osl 200 --random-range-ratio 0.2",
  },
  randomCorpusStyle: {
    kind: "text",
    group: PROMPTS,
    help: "Meaning of --random-range-ratio r: vllm mean*(1-r) to mean*(1+r), sglang mean*r to mean",
    value: "style",
    choices: ["vllm", "sglang"],
    needs: ["randomRangeRatio"],
    default: "vllm",
  },
  promptCorpus: {
    kind: "text",
    group: PROMPTS,
    help: "Source text of prompts: prose (sonnet), source code, or random words",
    value: "name",
    choices: ["sonnet", "coding", "random"],
    synonyms: { "prose": "sonnet", "code": "coding" },
    excludes: GIVEN_PROMPTS,
    mistakenFor: ["corpus"],
    default: "sonnet",
    example: "--prompt-corpus coding",
  },
  numPrefixPrompts: {
    ...COUNT,
    min: 0,
    max: 1_000_000,
    group: PROMPTS,
    aliases: ["prompt-prefix-pool-size", "prefix-prompt-pool-size"],
    sweeps: true,
    help: "Number of shared prefixes; the first prompt of a session begins with a random one",
    unit: "prompts",
    needs: ["prefixPromptLength"],
    excludes: [...GIVEN_PROMPTS, "sharedSystemPromptLength", "userContextPromptLength"],
    example: "--num-prefix-prompts 4 --prefix-prompt-length 512",
  },
  prefixPromptLength: {
    ...TOKENS,
    min: 0,
    group: PROMPTS,
    aliases: ["prompt-prefix-length"],
    sweeps: true,
    help: "Length of the prefixes, in addition to --isl",
    needs: ["numPrefixPrompts"],
    excludes: [...GIVEN_PROMPTS, "sharedSystemPromptLength", "userContextPromptLength"],
    mistakenFor: ["prefix-len", "random-prefix-len"],
  },
  prefixHitRate: {
    kind: "number",
    group: PROMPTS,
    sweeps: true,
    help: "Fraction of each prompt that a prefix cache can have: a prefix within --isl that all " +
      "prompts share, which the warm-up puts into the cache",
    value: "share",
    min: 0,
    max: 1,
    excludes: [
      ...GIVEN_PROMPTS,
      ...["numPrefixPrompts", "prefixPromptLength", "sharedSystemPromptLength"] as const,
      ...["userContextPromptLength", "systemPrompt", "systemPromptFile", "seqDist"] as const,
      ...["randomRangeRatio", "promptBatchSize"] as const,
    ],
    mistakenFor: ["cache-hit-rate", "prefix-cache-hit-rate"],
    example: "--prefix-hit-rate 0.6 --isl 2000",
  },
  sharedSystemPromptLength: {
    ...PART,
    sweeps: true,
    help: "Length of a system message shared by all sessions, in addition to --isl",
    mistakenFor: ["system-prompt-length"],
    example: "--shared-system-prompt-length 1024",
  },
  userContextPromptLength: {
    ...PART,
    sweeps: true,
    help:
      "Length of a unique user message before the first prompt of a session, in addition to --isl",
    example: "--shared-system-prompt-length 1024 --user-context-prompt-length 4096",
  },
  systemPrompt: {
    kind: "text",
    group: PROMPTS,
    help: "System message of every conversation, in addition to --isl",
    value: "text",
    mistakenFor: ["system", "system-message"],
    excludes: [
      ...["systemPromptFile", "sharedSystemPromptLength", "numPrefixPrompts"],
      "prefixPromptLength",
    ],
    example: '--system-prompt "You are a careful assistant."',
  },
  systemPromptFile: {
    kind: "text",
    group: PROMPTS,
    help: "File with the system message (UTF-8)",
    value: "file",
    completes: "file",
    excludes: ["sharedSystemPromptLength", "numPrefixPrompts", "prefixPromptLength"],
    example: "--system-prompt-file system.txt",
  },
  promptBatchSize: {
    ...COUNT,
    max: 10_000,
    short: "b",
    group: PROMPTS,
    aliases: ["batch-size", "batch-size-text"],
    help: "Number of texts per request, each of --isl tokens",
    unit: "texts",
    default: 1,
  },
  cacheBust: {
    kind: "text",
    group: PROMPTS,
    help: "Unique marker per session that prevents prefix cache hits, or one for the warm-up only",
    value: "place",
    choices: [
      ...["none", "system-prefix", "system-suffix", "first-turn-prefix", "first-turn-suffix"],
      ...["warmup-isolation-system", "warmup-isolation-first-turn"],
    ],
    mistakenFor: ["no-cache", "bust-cache"],
    defaultText: "none; first-turn-prefix for recorded agent sessions",
    example: "--cache-bust first-turn-prefix",
  },
  applyChatTemplate: {
    kind: "flag",
    group: PROMPTS,
    help: "Count input tokens with the chat template; synthetic prompts are shortened accordingly",
    example: "--tokenizer ./qwen --apply-chat-template",
  },
} as const satisfies OptionTable;
