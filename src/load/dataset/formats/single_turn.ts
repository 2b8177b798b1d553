import * as z from "npm:zod@4.6.7";
import type {
  EndpointType,
  MediaKind,
  PromptContent,
} from "../../../client/endpoint/protocol/endpoint_type.ts";
import { deniesStreaming } from "../../../client/endpoint/protocol/endpoint_type.ts";
import type { Conversation, ConversationTurn } from "../conversations/conversation.ts";
import { MediaError, MediaSource } from "../media/media_source.ts";
import { outputLength } from "../synthetic/output_length.ts";
import { fits, type FormatContext, type InputFormat, lacks } from "./input_format.ts";
import { inputLines } from "./input_lines.ts";
import type { InputRecord, JsonPath } from "./input_record.ts";
import { REQUIREMENT_FIELDS, requirementsOf } from "./requirement_fields.ts";
import { groupedTurns } from "./session_groups.ts";

/** A text, or several under a name as AIPerf's files may have them. */
const textEntry = z.union([
  z.string(),
  z.object({ name: z.string().optional(), contents: z.array(z.string()) }),
], "Must be a text, or an object with contents, a list of texts");

/** Fields of one turn. */
export const TURN_FIELDS = {
  text: z.string().optional(),
  texts: z.array(textEntry).optional(),
  image: z.string().optional(),
  images: z.array(textEntry).optional(),
  audio: z.string().optional(),
  audios: z.array(textEntry).optional(),
  output_length: z.int().positive().optional(),
  role: z.enum(["user", "assistant", "system", "developer", "tool"]).optional(),
  tool_call_id: z.string().optional(),
  tool_results: z.array(
    z.looseObject({ tool_call_id: z.string().optional(), content: z.string() }),
  ).optional(),
  ...REQUIREMENT_FIELDS,
  timestamp: z.number().optional(),
  delay: z.number().nonnegative().optional(),
  expected: z.unknown().optional(),
  extra: z.record(z.string(), z.unknown()).optional(),
} as const;

const turnRow = z.looseObject({
  ...TURN_FIELDS,
  session_id: z.string().optional(),
  type: z.unknown().optional(),
});

/** A turn as a row states it. */
export type TurnRow = z.infer<typeof turnRow>;

/** Fields that make a row a turn, one of which it has. */
export const CONTENT_FIELDS = ["text", "texts", "image", "images", "audio", "audios"] as const;

/** A row for each conversation, or for each turn of one where rows share their `session_id`. */
export const singleTurn: InputFormat = {
  name: "single-turn",
  description: "JSON lines with a prompt each",
  paging: "without sessions",
  isTimed: true,

  recognise({ layout, record = {} }) {
    const names = CONTENT_FIELDS.filter((name) => name in record);
    // Where a prompt goes with pictures and sounds, it would be left out.
    const [found] = "prompt" in record && !/^text/.test(names[0] ?? "") ? [] : names;
    return layout === "json lines" && found !== undefined
      ? fits(`its first record has "${found}"`)
      : lacks("JSON lines with text, texts, image, images, audio or audios");
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

/** Makes turns of rows with texts, images and recordings. */
export class TurnMaker {
  readonly #context: FormatContext;
  readonly #media: MediaSource;
  #turns = 0;

  constructor(path: string, context: FormatContext) {
    this.#context = context;
    this.#media = new MediaSource(path, context.dataset.allowedFolders, context.interrupt);
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
    const results = row.tool_results ?? [];
    const hasContent = CONTENT_FIELDS.some((name) => flat(row[name]).length > 0);
    const content = hasContent || results.length === 0
      ? await this.content(record, row, path)
      : this.#withoutContent(row);
    const expected = row.expected === undefined
      ? undefined
      : this.#context.expectedOf(record, path);
    const times = {
      delayMs: row.delay ?? 0,
      timestampMs: row.timestamp,
      followsHistory,
      ...(expected === undefined ? {} : { expected }),
    };
    const isOfUser = row.role === undefined || row.role === "user";
    if (isOfUser && results.length === 0) {
      const request = { kind: "content" as const, content };
      return { request: { ...request, ...(system === undefined ? {} : { system }) }, ...times };
    }
    const { conversation, name } = this.#context.type;
    if (conversation === undefined) {
      throw record.error(`Endpoint type ${name} takes no messages`, path);
    }
    const text = content.texts.join(" ");
    const own = row.role === "tool"
      ? [conversation.toolMessage({ id: row.tool_call_id, text })]
      : isOfUser
      ? [conversation.userMessage(content)]
      : [{ "role": row.role, "content": text }];
    const messages = [
      ...(system === undefined ? [] : [conversation.systemMessage(system)]),
      ...results.map(({ tool_call_id: id, content: text }) =>
        conversation.toolMessage({ id, text })
      ),
      ...(hasContent ? own : []),
    ];
    const { outputTokens, extra } = content;
    const isOfTool = row.role === "tool" || results.length > 0;
    return {
      request: { kind: "messages", messages, outputTokens, extra },
      ...times,
      ...(isOfTool ? { gapClass: "tool" } : {}),
    };
  }

  /** The settings of a row that has only results of tools. */
  #withoutContent(row: TurnRow): PromptContent {
    const { seed, dataset } = this.#context;
    const outputTokens = row.output_length ?? outputLength(dataset, seed, this.#turns++);
    return { texts: [], images: [], outputTokens, extra: extraOf(row) };
  }

  /** Returns the prompt of a row. */
  async content(record: InputRecord, row: TurnRow, path: JsonPath): Promise<PromptContent> {
    const { type, streaming, seed, dataset } = this.#context;
    const texts = [...(row.text === undefined ? [] : [row.text]), ...textsOf(row, type)];
    if (CONTENT_FIELDS.every((name) => flat(row[name]).length === 0)) {
      const remedy = "prompt" in row ? '; rename "prompt" to "text", as in the rows before' : "";
      throw record.error(`Row has none of ${CONTENT_FIELDS.join(", ")}${remedy}`, path);
    }
    for (const media of ["video", "videos"]) {
      if (media in row) throw record.error("Video is not supported", [...path, media]);
    }
    if (streaming && deniesStreaming(row.extra ?? {})) {
      throw record.error("stream must be true with --streaming", [...path, "extra"]);
    }
    const index = this.#turns++;
    return {
      texts,
      images: await this.#urls("image", record, row, path),
      audios: await this.#urls("audio", record, row, path),
      outputTokens: row.output_length ?? outputLength(dataset, seed, index),
      extra: extraOf(row),
    };
  }

  /** The media of a kind, each as a URL or data URI. */
  async #urls(
    kind: MediaKind,
    record: InputRecord,
    row: TurnRow,
    path: JsonPath,
  ): Promise<string[]> {
    const { type } = this.#context;
    const single = row[kind];
    const named = [...flat(single), ...flat(row[`${kind}s`])];
    const place = [...path, single === undefined ? `${kind}s` : kind];
    if (named.length === 0) {
      if (type.requiredMedia !== kind) return [];
      throw record.error(`Endpoint type ${type.name} needs ${WORDS[kind].one}`, path);
    }
    if (!type.media.includes(kind)) {
      throw record.error(`Endpoint type ${type.name} takes no ${WORDS[kind].many}`, place);
    }
    return await Promise.all(named.map((name) => this.#media.urlOf(kind, name))).catch((error) => {
      if (!(error instanceof MediaError)) throw error;
      throw record.error(error.message, place);
    });
  }
}

const WORDS: Readonly<Record<MediaKind, { readonly one: string; readonly many: string }>> = {
  image: { one: "an image", many: "images" },
  audio: { one: "a recording", many: "audio" },
};

/** Fields that a row adds to the body: those under `extra`, and what it requires of its reply. */
function extraOf(row: TurnRow): Readonly<Record<string, unknown>> {
  return { ...requirementsOf(row), ...row.extra };
}

type Entry = z.infer<typeof textEntry>;

/** The texts of a list; where passages are ranked, the query comes first. */
function textsOf({ texts = [] }: TurnRow, { ranksPassages }: EndpointType): string[] {
  if (!ranksPassages) return flat(texts);
  const isQuery = (entry: Entry): boolean =>
    typeof entry === "object" && /^quer(y|ies)$/.test(entry.name ?? "");
  return [...flat(texts.filter(isQuery)), ...flat(texts.filter((entry) => !isQuery(entry)))];
}

function flat(entries: string | readonly Entry[] | undefined): string[] {
  if (typeof entries === "string") return [entries];
  return (entries ?? []).flatMap((entry) => typeof entry === "string" ? entry : entry.contents);
}
