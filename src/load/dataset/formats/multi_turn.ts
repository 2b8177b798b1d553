import * as z from "npm:zod@4.6.7";
import type { ConversationTurn } from "../conversations/conversation.ts";
import { fits, type InputFormat, lacks } from "./input_format.ts";
import { inputLines } from "./input_lines.ts";
import { TURN_FIELDS, TurnMaker } from "./single_turn.ts";

const multiTurnRow = z.looseObject({
  session_id: z.string().optional(),
  type: z.unknown().optional(),
  turns: z.array(z.looseObject(TURN_FIELDS)).min(1),
  expected: z.unknown().optional(),
});

/** A row for each conversation, with its turns in a list. */
export const multiTurn: InputFormat = {
  name: "multi-turn",
  description: "JSON lines with a conversation each",
  paging: "always",
  isTimed: true,

  recognise({ layout, record = {} }) {
    return layout === "json lines" && Array.isArray(record["turns"])
      ? fits('its first record has a list of "turns"')
      : lacks("JSON lines with a list of turns");
  },

  async *read(source, context) {
    const maker = new TurnMaker(source.path, context);
    for await (const records of inputLines(source)) {
      for (const record of records) {
        const { expected, session_id: id, turns: rows } = record.parsed(multiTurnRow);
        const [first] = rows;
        // A system prompt goes before the first turn and is none itself.
        const hasSystem = first?.role === "system" && first.image === undefined &&
          first.images === undefined && rows.length > 1;
        const system = hasSystem && first !== undefined
          ? (await maker.content(record, first, ["turns", 0])).texts.join(" ")
          : undefined;
        context.requireTime(record, undefined, rows[hasSystem ? 1 : 0]?.timestamp);
        const turns: ConversationTurn[] = [];
        // Definitions of tools hold until a turn has others.
        let { tools } = first ?? {};
        for (let i = hasSystem ? 1 : 0; i < rows.length; i++) {
          const row = rows[i] as (typeof rows)[number];
          const isFirst = turns.length === 0;
          tools = row.tools ?? tools;
          const whole = tools === undefined ? row : { ...row, tools };
          turns.push(
            await maker.turn(record, whole, ["turns", i], true, isFirst ? system : undefined),
          );
        }
        const wanted = expected === undefined ? undefined : context.expectedOf(record, []);
        if (wanted !== undefined) {
          const last = turns.pop() as ConversationTurn;
          if (last.expected !== undefined) {
            throw record.error("Its last turn has an expected answer already", ["expected"]);
          }
          turns.push({ ...last, expected: wanted });
        }
        yield { id, turns };
      }
    }
  },
};
