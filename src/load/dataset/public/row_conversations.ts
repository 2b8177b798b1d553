import type { PromptContent } from "../../../client/endpoint/protocol/endpoint_type.ts";
import type { FileDatasetPlan } from "../../../config/plan/run_plan.ts";
import type { PublicDataset } from "../../../config/public_datasets/public_dataset.ts";
import type { Conversation } from "../conversations/conversation.ts";
import type { InputContext } from "../load_dataset.ts";
import { outputLength } from "../synthetic/output_length.ts";
import type { DatasetRow } from "./dataset_row.ts";
import { audioUrl, imageUrl, recordingSeconds, videoUrl } from "./row_media.ts";
import { exchanges, firstPrompt } from "./row_messages.ts";
import { filledTemplate, templateColumns } from "./row_text.ts";

/** Recordings that are longer are left out, as in AIPerf. */
const MAX_RECORDING_SECONDS = 30;

/** A turn that a row asks. */
interface Prompt {
  readonly text: string;
  /** Tokens of the answer in the row; undefined if there is none, or they are not counted. */
  readonly replyTokens: number | undefined;
}

/** Media of a turn, as URLs and data URIs. */
type Media = Required<Pick<PromptContent, "images" | "audios" | "videos">>;

const NO_MEDIA: Media = { images: [], audios: [], videos: [] };

/** Returns the columns of a dataset that are read. */
export function rowColumns({ prompts, image, video, audio }: PublicDataset): string[] {
  const texts = prompts.kind === "text" ? templateColumns(prompts.template) : [prompts.column];
  return [...texts, ...[image, video, audio].filter((column) => column !== undefined)];
}

/** Converts rows to conversations, and reports at the end how many rows were skipped. */
export class RowConversations {
  readonly #dataset: PublicDataset;
  readonly #plan: FileDatasetPlan;
  readonly #context: InputContext;
  #turns = 0;
  #tooLong = 0;
  #without = 0;
  #cut = 0;

  constructor(dataset: PublicDataset, plan: FileDatasetPlan, context: InputContext) {
    this.#dataset = dataset;
    this.#plan = plan;
    this.#context = context;
  }

  /**
   * The conversation of a row; undefined if it is left out.
   * @throws {DatasetError} if a column is missing
   */
  of(row: DatasetRow): Conversation | undefined {
    const all = this.#promptsOf(row);
    // Where the API takes one prompt at a time, a conversation is its first.
    const prompts = this.#context.type.conversation === undefined ? all?.slice(0, 1) : all;
    if (prompts !== undefined && all !== undefined && prompts.length < all.length) this.#cut++;
    if (prompts === undefined) {
      this.#tooLong++;
      return undefined;
    }
    const media = this.#mediaOf(row);
    if (prompts.length === 0 || media === undefined) {
      this.#without++;
      return undefined;
    }
    return {
      id: undefined,
      turns: prompts.map(({ text, replyTokens }, index) => ({
        request: {
          kind: "content",
          content: {
            texts: [text],
            ...(index === 0 ? media : NO_MEDIA),
            outputTokens: replyTokens ??
              outputLength(this.#plan, this.#context.seed, this.#turns++),
            extra: {},
          },
        },
        delayMs: 0,
        timestampMs: undefined,
        followsHistory: prompts.length > 1,
      })),
    };
  }

  /** Reports how many rows were skipped; to be called after the last one. */
  finish(): void {
    const { name, lengths } = this.#dataset;
    if (this.#tooLong > 0 && lengths !== undefined) {
      this.#context.note(
        `${name}: conversations left out for their lengths: ${this.#tooLong} (prompts and answers ` +
          `from ${lengths.minTokens} tokens, prompts up to ${lengths.maxPromptTokens}, both ` +
          `together up to ${lengths.maxTotalTokens}, as in vLLM's and AIPerf's reading)`,
      );
    }
    if (this.#cut > 0) {
      this.#context.note(
        `${name}: conversations reduced to their first prompt, as endpoint type ` +
          `${this.#context.type.name} takes one prompt: ${this.#cut}`,
      );
    }
    if (this.#without > 0) {
      this.#context.note(
        `${name}: rows without a prompt or what belongs to it, left out: ${this.#without}`,
      );
    }
  }

  /** The turns of a row; undefined if one has a length that is left out. */
  #promptsOf(row: DatasetRow): Prompt[] | undefined {
    const { prompts, lengths } = this.#dataset;
    const plain = (texts: readonly string[]): Prompt[] =>
      texts.filter((text) => text !== "").map((text) => ({ text, replyTokens: undefined }));
    if (prompts.kind === "text") return plain([filledTemplate(prompts.template, row)]);
    const { column } = prompts;
    if (!(column in row.fields)) throw row.error("There is no such column", column);
    const value = row.fields[column];
    if (prompts.kind === "texts") {
      const texts = (Array.isArray(value) ? value : []).map((text) => String(text ?? "").trim());
      return plain(prompts.first ? texts.slice(0, 1) : texts);
    }
    if (prompts.turns === "first") return plain([firstPrompt(value)]);
    const { tokenizer } = this.#context;
    const turns: Prompt[] = [];
    for (const { prompt, reply } of exchanges(value)) {
      const replyTokens = tokenizer?.count(reply);
      if (lengths !== undefined && tokenizer !== undefined && replyTokens !== undefined) {
        const promptTokens = tokenizer.count(prompt);
        // With --osl the answers' lengths say nothing of what is asked for.
        const isShort = promptTokens < lengths.minTokens ||
          (replyTokens < lengths.minTokens && this.#plan.outputTokensMean === undefined);
        const isLong = promptTokens > lengths.maxPromptTokens ||
          promptTokens + replyTokens > lengths.maxTotalTokens;
        if (isShort || isLong) return undefined;
      }
      turns.push({ text: prompt, replyTokens });
    }
    return turns;
  }

  /** Returns the media of a row; undefined if one is missing, or too long. */
  #mediaOf({ fields }: DatasetRow): Media | undefined {
    const { image, audio, video } = this.#dataset;
    const media = {
      images: image === undefined ? [] : [imageUrl(fields[image])],
      audios: audio === undefined ? [] : [audioUrl(fields[audio])],
      videos: video === undefined ? [] : [videoUrl(fields[video])],
    };
    const isWhole = Object.values(media).flat().every((url) => url !== undefined);
    const isLong = audio !== undefined &&
      (recordingSeconds(fields[audio]) ?? 0) > MAX_RECORDING_SECONDS;
    return isWhole && !isLong ? media as Media : undefined;
  }
}
