import * as z from "npm:zod@4.6.7";
import { fits, type InputFormat, lacks } from "./input_format.ts";
import { LENGTH_FIELDS } from "./length_fields.ts";
import { rowRecords } from "./row_records.ts";
import { TurnMaker, type TurnRow } from "./single_turn.ts";

/** Names of fields with a prompt; the first one that a row has is sent. */
const PROMPT_FIELDS = [
  "prompt",
  "user_prompt",
  "prompt_text",
  "question",
  "query",
  "instruction",
] as const;
/** Fields that make a row something else. */
const OTHER_FIELDS = ["model", "messages", "text", "texts", "conversations", "turns"];

const length = z.int().positive().nullish();

const fields = {
  image_files: z.array(z.string()).optional(),
  audio: z.string().optional(),
  expected: z.unknown().optional(),
  ...Object.fromEntries(LENGTH_FIELDS.map((name) => [name, length])) as Record<
    typeof LENGTH_FIELDS[number],
    typeof length
  >,
} as const;
/** A row; its prompt is text. */
interface CustomRow
  extends Partial<Record<typeof LENGTH_FIELDS[number], number | null | undefined>> {
  readonly "image_files"?: string[] | undefined;
  readonly audio?: string | undefined;
  readonly [name: string]: unknown;
}

/** Schemas of rows by the field of the prompt, so that other prompts of a row count as unread. */
const ROWS = Object.fromEntries(
  PROMPT_FIELDS.map((name) => [name, z.looseObject({ ...fields, [name]: z.string() })]),
) as unknown as Readonly<Record<typeof PROMPT_FIELDS[number], z.ZodType<CustomRow>>>;

/**
 * Rows of vLLM's datasets `custom`, `custom_image`, `custom_audio`, and of others with a prompt or a
 * question each. All other fields of a row are not sent.
 */
export const customPrompts: InputFormat = {
  name: "custom",
  description: "rows with one prompt each, as JSON lines or an array",
  paging: "always",

  recognise({ layout, record = {} }) {
    const isRows = layout === "json lines" || layout === "json array";
    const field = promptField(record);
    // With a model or messages it is a body, or something else.
    return isRows && field !== undefined && !OTHER_FIELDS.some((name) => name in record)
      ? fits(`its first record has "${field}"`)
      : lacks("rows with a prompt or a question, and neither model nor messages");
  },

  async *read(source, context) {
    const maker = new TurnMaker(source.path, context);
    for await (const records of rowRecords(source)) {
      for (const record of records) {
        const field = promptField(record.json);
        if (field === undefined) {
          throw record.error(`Row has no prompt: ${PROMPT_FIELDS.join(", ")}`);
        }
        const row = record.parsed(ROWS[field]);
        const limit = LENGTH_FIELDS.map((name) => row[name]).find((value) =>
          typeof value === "number"
        );
        const turn: TurnRow = {
          text: row[field] as string,
          ...(row["image_files"] === undefined ? {} : { images: row["image_files"] }),
          ...(row.audio === undefined ? {} : { audio: row.audio }),
          ...(limit === undefined || limit === null ? {} : { output_length: limit }),
          ...(row["expected"] === undefined ? {} : { expected: row["expected"] }),
        };
        context.requireTime(record, undefined, undefined);
        yield { id: undefined, turns: [await maker.turn(record, turn, [], false)] };
      }
    }
  },
};

/** The name of the field with the prompt; undefined if the row has none. */
function promptField(row: unknown): typeof PROMPT_FIELDS[number] | undefined {
  if (typeof row !== "object" || row === null) return undefined;
  const values = row as Readonly<Record<string, unknown>>;
  return PROMPT_FIELDS.find((name) => typeof values[name] === "string");
}
