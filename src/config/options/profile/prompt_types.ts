// Made from the option tables by scripts/build_generated.ts, not by hand.

/** Options of a benchmark's prompts. */
export interface PromptOptions {
  /** Mean tokens of a synthetic prompt. @default 550 */
  readonly isl?: number;
  /** Standard deviation of --isl. In tokens. @default 0 */
  readonly islStddev?: number;
  /** Mean limit of output tokens per request. @default up to the server */
  readonly osl?: number;
  /** Standard deviation of --osl. In tokens. @default 0 */
  readonly oslStddev?: number;
  /**
   * Number of different synthetic prompts; they are reused in turn.
   * @default the request count up to 10000, or 1000
   */
  readonly numDatasetEntries?: number;
  /** Alias of --num-dataset-entries; for the number of requests see --request-count. In prompts. */
  readonly numPrompts?: number;
  /**
   * Distribution of input and output lengths with percentages:
   * ISL[|stddev],OSL[|stddev]:percent;..., [(ISL,OSL):percent,...] or JSON.
   */
  readonly seqDist?: string;
  /**
   * Range of uniform lengths around --isl and --osl: a ratio, or {"input":ratio,"output":ratio}.
   */
  readonly randomRangeRatio?: string;
  /**
   * Meaning of --random-range-ratio r: vllm mean*(1-r) to mean*(1+r), sglang mean*r to mean.
   * @default "vllm"
   */
  readonly randomCorpusStyle?: string;
  /** Source text of prompts: prose (sonnet), source code, or random words. @default "sonnet" */
  readonly promptCorpus?: string;
  /**
   * Number of shared prefixes; the first prompt of a session begins with a random one. In prompts.
   */
  readonly numPrefixPrompts?: number;
  /** Length of the prefixes, in addition to --isl. In tokens. */
  readonly prefixPromptLength?: number;
  /**
   * Fraction of each prompt that a prefix cache can have: a prefix within --isl that all prompts
   * share, which the warm-up puts into the cache.
   */
  readonly prefixHitRate?: number;
  /** Length of a system message shared by all sessions, in addition to --isl. In tokens. */
  readonly sharedSystemPromptLength?: number;
  /**
   * Length of a unique user message before the first prompt of a session, in addition to --isl. In
   * tokens.
   */
  readonly userContextPromptLength?: number;
  /** System message of every conversation, in addition to --isl. */
  readonly systemPrompt?: string;
  /** File with the system message (UTF-8). */
  readonly systemPromptFile?: string;
  /** Number of texts per request, each of --isl tokens. @default 1 */
  readonly promptBatchSize?: number;
  /**
   * Unique marker per session that prevents prefix cache hits, or one for the warm-up only.
   * @default none; first-turn-prefix for recorded agent sessions
   */
  readonly cacheBust?: string;
  /**
   * Count input tokens with the chat template; synthetic prompts are shortened accordingly.
   * @default false
   */
  readonly applyChatTemplate?: boolean;
  /** Width of synthetic images; with a height, each request has an image. In pixels. */
  readonly imageWidthMean?: number;
  /** Standard deviation of the image width. In pixels. @default 0 */
  readonly imageWidthStddev?: number;
  /** Height of synthetic images. In pixels. */
  readonly imageHeightMean?: number;
  /** Standard deviation of the image height. In pixels. @default 0 */
  readonly imageHeightStddev?: number;
  /** Number of different images per request. @default 1 */
  readonly imageBatchSize?: number;
  /** Encoding of synthetic images; random selects one for each image. @default "png" */
  readonly imageFormat?: string;
  /**
   * Source of images: noise, or a folder of PNG and JPEG files, scaled to the given size.
   * @default "noise"
   */
  readonly imageSource?: string;
  /** Order in which the folder's images are used. @default "random-with-replacement" */
  readonly imageSourceSampling?: string;
  /** Length of synthetic audio (noise); each request then has a recording. In seconds. */
  readonly audioLengthMean?: number;
  /** Standard deviation of the audio length. In seconds. @default 0 */
  readonly audioLengthStddev?: number;
  /** Number of different recordings per request. @default 1 */
  readonly audioBatchSize?: number;
  /** Encoding of synthetic recordings; for other formats use an input file. @default "wav" */
  readonly audioFormat?: string;
  /**
   * Bits per sample (8, 16, 24, 32); with several, one is drawn for each recording.
   * @default ["16"]
   */
  readonly audioDepths?: readonly string[];
  /**
   * Sample rate in kHz (above 96 in Hz); with several, one is drawn for each recording.
   * @default ["16"]
   */
  readonly audioSampleRates?: readonly string[];
  /** Number of channels of a recording. @default 1 */
  readonly audioNumChannels?: number;
  /** Download generated videos as a part of their request. @default false */
  readonly downloadVideoContent?: boolean;
  /** Number of passages per ranking request. @default 1 */
  readonly rankingsPassagesMean?: number;
  /** Standard deviation of the number of passages. @default 0 */
  readonly rankingsPassagesStddev?: number;
  /** Length of a passage. In tokens. @default 550 */
  readonly rankingsPassagesPromptTokenMean?: number;
  /** Standard deviation of the passage length. In tokens. @default 0 */
  readonly rankingsPassagesPromptTokenStddev?: number;
  /** Length of a query. In tokens. @default 550 */
  readonly rankingsQueryPromptTokenMean?: number;
  /** Standard deviation of the query length. In tokens. @default 0 */
  readonly rankingsQueryPromptTokenStddev?: number;
  /**
   * File with prompts, conversations or a trace (formats: --custom-dataset-type); - for standard
   * input.
   */
  readonly inputFile?: string;
  /** Additional folders whose files the input file may reference. */
  readonly allowFiles?: readonly string[];
  /** Public dataset to take prompts from, by name (listed in docs/datasets.md). */
  readonly publicDataset?: string;
  /** Repository of Weka traces on the hub: recorded agent sessions to replay. */
  readonly hfWekaDataset?: string;
  /** Folder or file that contains the dataset; disables other lookups. */
  readonly publicDatasetFolder?: string;
  /** Part of the dataset's repository to read instead of the default part. */
  readonly hfSubset?: string;
  /** Use only rows with this value in this column; several conditions must all hold. */
  readonly datasetFilter?: string | readonly string[];
  /** Format of the input file. @default detected from the first record */
  readonly customDatasetType?: string;
  /**
   * Tokens per block of the hash_ids in a trace.
   * @default 512 for mooncake-trace, 16 for bailian-trace
   */
  readonly islBlockSize?: number;
  /** Send each conversation at its time in the input file. @default false */
  readonly fixedSchedule?: boolean;
  /** Send by concurrency or rate even if the input file has timestamps. @default false */
  readonly noFixedSchedule?: boolean;
  /** Start at the first request's time; the default without a start offset. @default false */
  readonly fixedScheduleAutoOffset?: boolean;
  /**
   * Start offset in the trace; earlier requests are skipped. In milliseconds.
   * @default the time of the first request
   */
  readonly fixedScheduleStartOffset?: number;
  /**
   * End offset in the trace; later requests are skipped. In milliseconds.
   * @default the time of the last request
   */
  readonly fixedScheduleEndOffset?: number;
  /** Speed-up factor for the times of a trace. @default 1 */
  readonly synthesisSpeedupRatio?: number;
  /** Factor for the length of prefixes shared by prompts of a trace. @default 1 */
  readonly synthesisPrefixLenMultiplier?: number;
  /** Number of prefix trees among which the conversations of a trace are distributed. @default 1 */
  readonly synthesisPrefixRootMultiplier?: number;
  /** Factor for the unshared tokens of each prompt in a trace. @default 1 */
  readonly synthesisPromptLenMultiplier?: number;
  /** Factor for the output lengths of a trace. @default 1 */
  readonly synthesisOutputLenMultiplier?: number;
  /** Maximum prompt length in a trace; rows with longer prompts are skipped. In tokens. */
  readonly synthesisMaxIsl?: number;
  /** Maximum output length in a trace; larger requests are reduced to it. In tokens. */
  readonly synthesisMaxOsl?: number;
  /** Order in which prompts are used. @default "sequential" */
  readonly datasetSamplingStrategy?: string;
  /** Seed of prompts, lengths and arrivals. @default random, recorded in the results */
  readonly randomSeed?: number;
  /**
   * Tokenizer: builtin (o200k_base), a tokenizer.json or its folder, or a model name (local cache,
   * else HF_ENDPOINT).
   * @default the model's own if cached locally, else usage in replies and builtin
   */
  readonly tokenizer?: string;
  /** Branch, tag or commit of the tokenizer's repository. @default "main" */
  readonly tokenizerRevision?: string;
  /** Do not download from a hub, as with HF_HUB_OFFLINE=1. @default false */
  readonly offline?: boolean;
  /** Take token counts from the server's usage instead of a tokenizer. @default false */
  readonly useServerTokenCount?: boolean;
}
