import * as z from "npm:zod@4.6.7";
import { fits, type InputFormat, lacks } from "./input_format.ts";
import { inputLines } from "./input_lines.ts";
import { LENGTH_FIELDS } from "./length_fields.ts";
import { TurnMaker, type TurnRow } from "./single_turn.ts";

const length = z.int().positive().nullish();

const promptRow = z.looseObject({
  prompt: z.string(),
  image_files: z.array(z.string()).optional(),
  audio: z.string().optional(),
  ...Object.fromEntries(LENGTH_FIELDS.map((name) => [name, length])) as Record<
    typeof LENGTH_FIELDS[number],
    typeof length
  >,
});

/**
 * Rows of vLLM's datasets `custom`, `custom_image`, `custom_audio`, and of others that call a
 * prompt a prompt. All other fields of a row are not sent.
 */
export const customPrompts: InputFormat = {
  name: "custom",
  description: "JSON lines with one prompt each, as in vLLM's dataset custom",
  paging: "always",

  recognise({ layout, record = {} }) {
    // Beside a model or messages it is a body, or something else.
    return layout === "json lines" && typeof record["prompt"] === "string" &&
        !["model", "messages", "text", "texts"].some((name) => name in record)
      ? fits('its first record has "prompt"')
      : lacks("JSON lines with a prompt, and neither model nor messages");
  },

  async *read(source, context) {
    const maker = new TurnMaker(source.path, context);
    for await (const records of inputLines(source)) {
      for (const record of records) {
        const row = record.parsed(promptRow);
        const limit = LENGTH_FIELDS.map((name) => row[name]).find((value) =>
          typeof value === "number"
        );
        const turn: TurnRow = {
          text: row.prompt,
          ...(row.image_files === undefined ? {} : { images: row.image_files }),
          ...(row.audio === undefined ? {} : { audio: row.audio }),
          ...(limit === undefined || limit === null ? {} : { output_length: limit }),
        };
        context.requireTime(record, undefined, undefined);
        yield { id: undefined, turns: [await maker.turn(record, turn, [], false)] };
      }
    }
  },
};
