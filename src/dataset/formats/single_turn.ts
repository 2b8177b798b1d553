import * as z from "npm:zod@4.6.7";
import type { EndpointType, PromptContent } from "../../endpoint/endpoint_type.ts";
import { deniesStreaming } from "../../plan/extra_inputs.ts";
import type { Conversation, ConversationTurn } from "../conversation.ts";
import { ImageError, ImageSource } from "../image_source.ts";
import { outputLength } from "../output_length.ts";
import { fits, type FormatContext, type InputFormat, lacks } from "./input_format.ts";
import { inputLines } from "./input_lines.ts";
import type { InputRecord, JsonPath } from "./input_record.ts";
import { groupedTurns } from "./session_groups.ts";

/** A text, or several under a name as AIPerf's files may have them. */
const textEntry = z.union([
  z.string(),
  z.object({ name: z.string().optional(), contents: z.array(z.string()) }),
]);

/** Fields of one turn. */
export const TURN_FIELDS = {
  text: z.string().optional(),
  texts: z.array(textEntry).optional(),
  image: z.string().optional(),
  images: z.array(textEntry).optional(),
  output_length: z.int().positive().optional(),
  role: z.enum(["user", "assistant", "system", "developer"]).optional(),
  timestamp: z.number().optional(),
  delay: z.number().nonnegative().optional(),
  extra: z.record(z.string(), z.unknown()).optional(),
} as const;

const turnRow = z.looseObject({ ...TURN_FIELDS, session_id: z.string().optional() });

/** A turn as a row states it. */
export type TurnRow = z.infer<typeof turnRow>;

/** Fields that make a row a turn, one of which it has. */
export const CONTENT_FIELDS = ["text", "texts", "image", "images"] as const;

/** A row for each conversation, or for each turn of one where rows share their `session_id`. */
export const singleTurn: InputFormat = {
  name: "single-turn",
  description: "JSON lines with a prompt each",
  paging: "without sessions",

  recognise({ layout, record = {} }) {
    const found = CONTENT_FIELDS.find((name) => name in record);
    return layout === "json lines" && found !== undefined
      ? fits(`its first record has "${found}"`)
      : lacks("JSON lines with text, texts, image or images");
  },

  read: (source, context) =>
    groupedTurns(singleTurns(source, context), { path: source.path, isPaged: context.isPaged }),
};

async function* singleTurns(
  source: Parameters<InputFormat["read"]>[0],
  context: FormatContext,
): AsyncGenerator<Conversation> {
  const maker = new TurnMaker(source.path, context);
  for await (const records of inputLines(source)) {
    for (const record of records) {
      const row = record.parsed(turnRow);
      context.requireTime(record, row.session_id, row.timestamp);
      yield { id: row.session_id, turns: [await maker.turn(record, row, [], false)] };
    }
  }
}

/** Makes turns of rows with texts and images. */
export class TurnMaker {
  readonly #context: FormatContext;
  readonly #images: ImageSource;
  #turns = 0;

  constructor(path: string, context: FormatContext) {
    this.#context = context;
    this.#images = new ImageSource(path, context.dataset.allowedFolders, context.interrupt);
  }

  /**
   * @param path of the row within its record
   * @throws {DatasetError} if the row asks for what cannot be sent
   */
  async turn(
    record: InputRecord,
    row: TurnRow,
    path: JsonPath,
    followsHistory: boolean,
    system?: string,
  ): Promise<ConversationTurn> {
    const content = await this.content(record, row, path);
    return {
      request: row.role === undefined || row.role === "user"
        ? { kind: "content", content, ...(system === undefined ? {} : { system }) }
        : {
          kind: "messages",
          messages: [{ "role": row.role, "content": content.texts.join(" ") }],
          outputTokens: content.outputTokens,
          extra: content.extra,
        },
      delayMs: row.delay ?? 0,
      timestampMs: row.timestamp,
      followsHistory,
    };
  }

  /** What a row asks. */
  async content(record: InputRecord, row: TurnRow, path: JsonPath): Promise<PromptContent> {
    const { type, streaming, seed, dataset } = this.#context;
    const texts = [...(row.text === undefined ? [] : [row.text]), ...flat(row.texts)];
    const named = [...(row.image === undefined ? [] : [row.image]), ...flat(row.images)];
    if (texts.length + named.length === 0) {
      throw record.error("Row has none of text, texts, image, images", path);
    }
    for (const media of ["audio", "audios", "video", "videos"]) {
      if (media in row) throw record.error("Audio and video are not supported", [...path, media]);
    }
    if (named.length > 0) checkImages(record, type, [...path, row.image ? "image" : "images"]);
    if (streaming && deniesStreaming(row.extra ?? {})) {
      throw record.error("stream must be true beside --streaming", [...path, "extra"]);
    }
    const index = this.#turns++;
    return {
      texts,
      images: await Promise.all(named.map((image) => this.#images.urlOf(image))).catch((error) => {
        if (!(error instanceof ImageError)) throw error;
        throw record.error(error.message, [...path, row.image === undefined ? "images" : "image"]);
      }),
      outputTokens: row.output_length ?? outputLength(dataset, seed, index),
      extra: row.extra ?? {},
    };
  }
}

function checkImages(record: InputRecord, type: EndpointType, path: JsonPath): void {
  if (!type.supportsImages) {
    throw record.error(`Endpoint type ${type.name} takes no images`, path);
  }
}

function flat(entries: readonly z.infer<typeof textEntry>[] | undefined): string[] {
  return (entries ?? []).flatMap((entry) => typeof entry === "string" ? entry : entry.contents);
}
