// Made from the option tables by scripts/build_generated.ts, not by hand.

/** Options of a benchmark's prompts. */
export interface PromptOptions {
  /** Mean tokens of a synthetic prompt. @default 550 */
  readonly isl?: number;
  /** Standard deviation of --isl. In tokens. @default 0 */
  readonly islStddev?: number;
  /** Mean maximum output tokens. @default up to the server */
  readonly osl?: number;
  /** Standard deviation of --osl. In tokens. @default 0 */
  readonly oslStddev?: number;
  /**
   * Number of different synthetic prompts, which are sent repeatedly.
   * @default the request count up to 10000, or 1000
   */
  readonly numDatasetEntries?: number;
  /** The same as --num-dataset-entries; the number of requests is --request-count. In prompts. */
  readonly numPrompts?: number;
  /**
   * Input and output lengths together, each with its share of the requests in percent:
   * ISL[|stddev],OSL[|stddev]:percent;..., [(ISL,OSL):percent,...] or JSON.
   */
  readonly seqDist?: string;
  /**
   * Lengths evenly from a range around --isl and --osl: a ratio, or {"input":ratio,"output":ratio}.
   */
  readonly randomRangeRatio?: string;
  /**
   * Meaning of --random-range-ratio r: vllm mean*(1-r) to mean*(1+r), sglang mean*r to mean.
   * @default "vllm"
   */
  readonly randomCorpusStyle?: string;
  /**
   * Text that prompts are cut from: prose (sonnet), source code, or words at random.
   * @default "sonnet"
   */
  readonly promptCorpus?: string;
  /**
   * Number of prefixes; each prompt of a first turn begins with one of them, at random. In prompts.
   */
  readonly numPrefixPrompts?: number;
  /** Length of the prefixes, which comes on top of --isl. In tokens. */
  readonly prefixPromptLength?: number;
  /** Length of a system message that all sessions share, on top of --isl. In tokens. */
  readonly sharedSystemPromptLength?: number;
  /**
   * Length of a user message before the first prompt, in no two sessions the same; on top of --isl.
   * In tokens.
   */
  readonly userContextPromptLength?: number;
  /** System message of every conversation, as it is; on top of --isl. */
  readonly systemPrompt?: string;
  /** The same, from a UTF-8 file. */
  readonly systemPromptFile?: string;
  /** Texts in a request, each of --isl tokens. @default 1 */
  readonly promptBatchSize?: number;
  /**
   * Marker that no two sessions share, so that prefix caches know nothing of what follows; or one
   * that warm-up alone has.
   * @default "none"
   */
  readonly cacheBust?: string;
  /**
   * Count input tokens with the tokenizer's chat template; synthetic prompts are shorter by it.
   * @default false
   */
  readonly applyChatTemplate?: boolean;
  /** Width of synthetic images; with a height, each request has one. In pixels. */
  readonly imageWidthMean?: number;
  /** Standard deviation of the width. In pixels. @default 0 */
  readonly imageWidthStddev?: number;
  /** Height of synthetic images. In pixels. */
  readonly imageHeightMean?: number;
  /** Standard deviation of the height. In pixels. @default 0 */
  readonly imageHeightStddev?: number;
  /** Images in a request, all of them different. @default 1 */
  readonly imageBatchSize?: number;
  /** How synthetic images are encoded; random takes either of the two for each. @default "png" */
  readonly imageFormat?: string;
  /**
   * What images show: noise, or those of a folder (PNG and JPEG) in the size that is asked for.
   * @default "noise"
   */
  readonly imageSource?: string;
  /** Which image of the folder is next. @default "random-with-replacement" */
  readonly imageSourceSampling?: string;
  /** Length of synthetic recordings, which are noise; each request has one then. In seconds. */
  readonly audioLengthMean?: number;
  /** Standard deviation of the length. In seconds. @default 0 */
  readonly audioLengthStddev?: number;
  /** Recordings in a request, all of them different. @default 1 */
  readonly audioBatchSize?: number;
  /** How recordings are encoded; other formats are taken from files. @default "wav" */
  readonly audioFormat?: string;
  /**
   * Bits of a sample, of 8, 16, 24 and 32; one of several is drawn for each recording.
   * @default ["16"]
   */
  readonly audioDepths?: readonly string[];
  /**
   * Samples in a second, in kHz, above 96 in Hz; one of several is drawn for each recording.
   * @default ["16"]
   */
  readonly audioSampleRates?: readonly string[];
  /** Channels of a recording. @default 1 */
  readonly audioNumChannels?: number;
  /** Fetch videos that were generated, as a part of their request. @default false */
  readonly downloadVideoContent?: boolean;
  /** Passages of a request that is to rank them. @default 1 */
  readonly rankingsPassagesMean?: number;
  /** Standard deviation of their number. In passages. @default 0 */
  readonly rankingsPassagesStddev?: number;
  /** Length of a passage. In tokens. @default 550 */
  readonly rankingsPassagesPromptTokenMean?: number;
  /** Standard deviation of the length of passages. In tokens. @default 0 */
  readonly rankingsPassagesPromptTokenStddev?: number;
  /** Length of a query. In tokens. @default 550 */
  readonly rankingsQueryPromptTokenMean?: number;
  /** Standard deviation of the length of queries. In tokens. @default 0 */
  readonly rankingsQueryPromptTokenStddev?: number;
  /**
   * Prompts, conversations or a trace, in one of the formats of --custom-dataset-type; - is
   * standard input.
   */
  readonly inputFile?: string;
  /** Additional folders whose files the input file may reference. */
  readonly allowFiles?: readonly string[];
  /**
   * Prompts from a public data set: from the hub's local cache, else from the hub; docs/datasets.md
   * lists them.
   */
  readonly publicDataset?: string;
  /** Folder, or file, in which the data set is: nothing else is looked up then. */
  readonly publicDatasetFolder?: string;
  /** Another part of the data set's repository than the usual one. */
  readonly hfSubset?: string;
  /** Only rows that have this value in this column; several must all be met. */
  readonly datasetFilter?: string | readonly string[];
  /** Format of the input file. @default told by its first record, and printed */
  readonly customDatasetType?: string;
  /**
   * Tokens of a block that one of a trace's hash_ids stands for.
   * @default 512 of mooncake-trace, 16 of bailian-trace
   */
  readonly islBlockSize?: number;
  /** Send each conversation at its time in the input file. @default false */
  readonly fixedSchedule?: boolean;
  /** Send by concurrency or rate, even if the input file has timestamps. @default false */
  readonly noFixedSchedule?: boolean;
  /**
   * Begin with the first request's time, as is done unless a start offset is given.
   * @default false
   */
  readonly fixedScheduleAutoOffset?: boolean;
  /**
   * Time of the trace to begin at; requests before it are left out. In milliseconds.
   * @default the first request's
   */
  readonly fixedScheduleStartOffset?: number;
  /**
   * Time of the trace to end at; requests after it are left out. In milliseconds.
   * @default the last request's
   */
  readonly fixedScheduleEndOffset?: number;
  /** Factor by which a trace's times pass faster. @default 1 */
  readonly synthesisSpeedupRatio?: number;
  /** Factor of the blocks that several prompts of a trace begin with. @default 1 */
  readonly synthesisPrefixLenMultiplier?: number;
  /** Number of trees of prefixes among which a trace's conversations are divided. @default 1 */
  readonly synthesisPrefixRootMultiplier?: number;
  /** Factor of the tokens that each prompt of a trace has for itself. @default 1 */
  readonly synthesisPromptLenMultiplier?: number;
  /** Factor of a trace's output lengths. @default 1 */
  readonly synthesisOutputLenMultiplier?: number;
  /** Longest prompt of a trace that is sent; rows with longer ones are left out. In tokens. */
  readonly synthesisMaxIsl?: number;
  /** Longest output that a row of a trace asks for; longer ones are cut to it. In tokens. */
  readonly synthesisMaxOsl?: number;
  /** Order in which prompts are used. @default "sequential" */
  readonly datasetSamplingStrategy?: string;
  /** Seed for prompts, lengths and arrivals. @default random, recorded in the results */
  readonly randomSeed?: number;
  /**
   * Tokenizer: builtin (o200k_base), a tokenizer.json or its folder, or a model's name (from the
   * local cache, else from the hub at HF_ENDPOINT).
   * @default the model's own if the local cache has it, else usage in replies and builtin
   */
  readonly tokenizer?: string;
  /** Branch, tag or commit of a tokenizer that is named. @default "main" */
  readonly tokenizerRevision?: string;
  /** Fetch nothing from a hub; HF_HUB_OFFLINE=1 does the same. @default false */
  readonly offline?: boolean;
  /** Take token counts from the server's usage instead of counting. @default false */
  readonly useServerTokenCount?: boolean;
}
