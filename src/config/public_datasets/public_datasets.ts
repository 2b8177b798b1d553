import type { LengthLimits, PublicDataset } from "./public_dataset.ts";

/** Limits by which vLLM, SGLang and AIPerf filter ShareGPT. */
const SHAREGPT_LENGTHS: LengthLimits = {
  minTokens: 4,
  maxPromptTokens: 1024,
  maxTotalTokens: 2048,
};

/** Files as the hub's own tools write them. */
const SHARDS = "data/{split}-*.parquet";
const SUBSET_SHARDS = "{subset}/{split}-*.parquet";

/** Prompt about a file of code; the text is that of vLLM's benchmark, which other tools share. */
const EDIT = "Given a code file, please apply the change requests and generate the new file.\n\n" +
  "Original file:\n```python\n{code}\n```\n\nChange request:\n{change_request}\n\n" +
  'Please generate the new code file in the "New file" section below.';

/** A column that is the prompt. */
function column(name: string): PublicDataset["prompts"] {
  return { kind: "text", template: `{${name}}` };
}

/**
 * The datasets that `--public-dataset` supports. A new one is a row: names are AIPerf's if it has
 * the dataset, and what an older name means does not change.
 */
export const PUBLIC_DATASETS: readonly PublicDataset[] = [
  {
    name: "sharegpt",
    summary: "conversations of people with ChatGPT",
    repository: "anon8231489123/ShareGPT_Vicuna_unfiltered",
    split: "train",
    files: "ShareGPT_V3_unfiltered_cleaned_split.json",
    aiperfFile: "ShareGPT_V3_unfiltered_cleaned_split.json",
    prompts: { kind: "messages", column: "conversations", turns: "pairs" },
    lengths: SHAREGPT_LENGTHS,
  },
  {
    name: "aimo",
    summary: "competition mathematics",
    repository: "AI-MO/NuminaMath-TIR",
    split: "train",
    files: SHARDS,
    prompts: column("problem"),
  },
  {
    name: "aimo_aime",
    summary: "90 problems of the AIME competition",
    repository: "AI-MO/aimo-validation-aime",
    split: "train",
    files: SHARDS,
    prompts: column("problem"),
  },
  {
    name: "aimo_numina_cot",
    summary: "competition mathematics",
    repository: "AI-MO/NuminaMath-CoT",
    split: "train",
    files: SHARDS,
    prompts: column("problem"),
  },
  {
    name: "aimo_numina_1_5",
    summary: "competition mathematics",
    repository: "AI-MO/NuminaMath-1.5",
    split: "train",
    files: SHARDS,
    prompts: column("problem"),
  },
  {
    name: "instruct_coder",
    summary: "instructions to write code",
    repository: "likaixin/InstructCoder",
    split: "train",
    files: "{split}.json",
    prompts: column("instruction"),
  },
  {
    name: "blazedit_5k",
    summary: "changes to files of about 5,000 characters",
    repository: "vdaita/edit_5k_char",
    split: "train",
    files: SHARDS,
    prompts: { kind: "text", template: EDIT },
  },
  {
    name: "blazedit_10k",
    summary: "changes to files of about 10,000 characters",
    repository: "vdaita/edit_10k_char",
    split: "train",
    files: SHARDS,
    prompts: { kind: "text", template: EDIT },
  },
  {
    name: "spec_bench",
    summary: "questions for speculative decoding, the first turn of each",
    repository: "hemingkx/Spec-Bench",
    origin: "https://raw.githubusercontent.com/hemingkx/Spec-Bench/" +
      "fd2c1cd7d2201ef71db4c5f4e455008f017967bf/data/spec_bench/question.jsonl",
    split: "train",
    files: "data/spec_bench/question.jsonl",
    aiperfFile: "spec_bench.jsonl",
    prompts: { kind: "texts", column: "turns", first: true },
  },
  {
    name: "spec_al_gsm8k",
    aliases: ["gsm8k"],
    summary: "school mathematics",
    repository: "openai/gsm8k",
    subset: "main",
    formerly: ["gsm8k"],
    split: "test",
    files: SUBSET_SHARDS,
    prompts: column("question"),
  },
  {
    name: "spec_al_math500",
    aliases: ["math500"],
    summary: "500 problems of competition mathematics",
    repository: "HuggingFaceH4/MATH-500",
    split: "test",
    files: "{split}.jsonl",
    prompts: column("problem"),
  },
  {
    name: "spec_al_humaneval",
    aliases: ["humaneval"],
    summary: "Python functions to complete",
    repository: "openai/openai_humaneval",
    subset: "openai_humaneval",
    split: "test",
    files: SUBSET_SHARDS,
    prompts: column("prompt"),
  },
  {
    name: "spec_al_mbpp",
    aliases: ["mbpp"],
    summary: "small Python tasks",
    repository: "google-research-datasets/mbpp",
    subset: "full",
    split: "test",
    files: SUBSET_SHARDS,
    prompts: column("text"),
  },
  {
    name: "spec_al_mtbench",
    aliases: ["mt_bench"],
    summary: "80 conversations of two turns",
    repository: "HuggingFaceH4/mt_bench_prompts",
    formerly: ["philschmid/mt-bench"],
    split: "train",
    files: SHARDS,
    prompts: { kind: "texts", column: "prompt" },
  },
  {
    name: "mmstar",
    summary: "questions about pictures",
    repository: "Lin-Chen/MMStar",
    split: "val",
    files: "mmstar.parquet",
    prompts: column("question"),
    image: "image",
  },
  {
    name: "vision_arena",
    summary: "questions of users about images",
    repository: "lmarena-ai/VisionArena-Chat",
    split: "train",
    files: SHARDS,
    gated: true,
    prompts: { kind: "messages", column: "conversation", turns: "first" },
    image: "images",
  },
  {
    name: "llava_onevision",
    summary: "questions about pictures",
    repository: "lmms-lab/LLaVA-OneVision-Data",
    subset: "sharegpt4o",
    split: "train",
    files: SUBSET_SHARDS,
    prompts: { kind: "messages", column: "conversations", turns: "first" },
    image: "image",
  },
  {
    name: "mmvu",
    summary: "questions about films, which are sent as URLs",
    repository: "yale-nlp/MMVU",
    split: "validation",
    files: "{split}.json",
    prompts: { kind: "text", template: "{question} {choices}" },
    video: "video",
  },
  {
    name: "librispeech",
    summary: "read speech to be transcribed",
    repository: "openslr/librispeech_asr",
    subset: "clean",
    split: "test",
    files: "{subset}/{split}/*.parquet",
    prompts: { kind: "text", template: "Transcribe this audio." },
    audio: "audio",
  },
  {
    name: "voxpopuli",
    summary: "speeches of the European Parliament to be transcribed",
    repository: "facebook/voxpopuli",
    subset: "en",
    split: "test",
    files: SUBSET_SHARDS,
    prompts: { kind: "text", template: "Transcribe this audio." },
    audio: "audio",
  },
  {
    name: "gigaspeech",
    summary: "speech of several kinds to be transcribed",
    repository: "speechcolab/gigaspeech",
    subset: "xs",
    split: "test",
    files: SUBSET_SHARDS,
    gated: true,
    prompts: { kind: "text", template: "Transcribe this audio." },
    audio: "audio",
  },
  {
    name: "ami",
    summary: "meetings to be transcribed",
    repository: "edinburghcstr/ami",
    subset: "ihm",
    split: "test",
    files: SUBSET_SHARDS,
    prompts: { kind: "text", template: "Transcribe this audio." },
    audio: "audio",
  },
  {
    name: "spgispeech",
    summary: "calls about earnings to be transcribed",
    repository: "kensho/spgispeech",
    subset: "test",
    split: "test",
    files: SUBSET_SHARDS,
    gated: true,
    prompts: { kind: "text", template: "Transcribe this audio." },
    audio: "audio",
  },
  {
    name: "cnn_dailymail",
    summary: "news to be summarised",
    repository: "abisee/cnn_dailymail",
    subset: "3.0.0",
    formerly: ["cnn_dailymail"],
    split: "test",
    files: SUBSET_SHARDS,
    prompts: { kind: "text", template: "Summarize this article:\n\n{article}" },
  },
  {
    name: "longbench_v2",
    summary: "questions about very long texts",
    repository: "zai-org/LongBench-v2",
    formerly: ["THUDM/LongBench-v2"],
    split: "train",
    files: "data.json",
    prompts: {
      kind: "text",
      template: "{context}\n\n{question}\n\nA. {choice_A}\nB. {choice_B}\nC. {choice_C}\n" +
        "D. {choice_D}",
    },
  },
  {
    name: "ultrachat",
    aliases: ["ultrachat_200k"],
    summary: "conversations of several turns",
    repository: "HuggingFaceH4/ultrachat_200k",
    split: "test_sft",
    files: SHARDS,
    prompts: { kind: "messages", column: "messages", turns: "pairs" },
  },
  {
    name: "dolly",
    aliases: ["databricks_dolly_15k"],
    summary: "instructions, some with a text they refer to",
    repository: "databricks/databricks-dolly-15k",
    split: "train",
    files: "databricks-dolly-15k.jsonl",
    prompts: { kind: "text", template: "{instruction}\n\n{context}" },
  },
  {
    name: "alpaca",
    summary: "instructions, some with an input",
    repository: "tatsu-lab/alpaca",
    split: "train",
    files: SHARDS,
    prompts: { kind: "text", template: "{instruction}\n\n{input}" },
  },
  {
    name: "chatgpt_prompts",
    aliases: ["awesome_chatgpt_prompts"],
    summary: "prompts that give a model a role",
    repository: "fka/awesome-chatgpt-prompts",
    formerly: ["fka/prompts.chat"],
    split: "train",
    files: "prompts.csv",
    prompts: column("prompt"),
  },
];

/** Returns a dataset by one of its names, in any spelling; undefined if there is none. */
export function publicDataset(name: string): PublicDataset | undefined {
  const wanted = plainName(name);
  return PUBLIC_DATASETS.find((one) =>
    [one.name, ...one.aliases ?? []].some((known) => plainName(known) === wanted)
  );
}

/**
 * Returns a dataset by its repository, or by one that another tool uses; undefined if there is
 * none.
 */
export function datasetOfRepository(repository: string): PublicDataset | undefined {
  const wanted = repository.toLowerCase();
  return PUBLIC_DATASETS.find(({ repository, formerly = [] }) =>
    [repository, ...formerly].some((one) => one.toLowerCase() === wanted)
  );
}

/** A name without what joins its words: AIPerf takes `blazedit-5-k` for `blazedit_5k`. */
export function plainName(name: string): string {
  return name.toLowerCase().replace(/[\s_-]/g, "");
}
