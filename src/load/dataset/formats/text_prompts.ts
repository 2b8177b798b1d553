import { fits, type InputFormat, lacks } from "./input_format.ts";
import { inputLines } from "./input_lines.ts";
import { InputRecord } from "./input_record.ts";
import { TEXT_NAME } from "./input_sample.ts";
import type { InputSource } from "./input_source.ts";
import { TurnMaker } from "./single_turn.ts";

/** Plain texts with a prompt on each line, or in each paragraph. */
export const TEXT_FORMATS: readonly InputFormat[] = [
  textFormat("text-lines", "plain text with a prompt on each line", false, inputLines),
  textFormat("text-paragraphs", "plain text with a prompt in each paragraph", true, paragraphs),
];

function textFormat(
  name: string,
  description: string,
  isParagraphs: boolean,
  promptsOf: (source: InputSource) => AsyncIterable<readonly InputRecord[]>,
): InputFormat {
  return {
    name,
    description,
    paging: "always",

    recognise({ layout, path, hasParagraphs = false }) {
      if (layout !== "text" || !TEXT_NAME.test(path)) return lacks("a .txt file");
      if (hasParagraphs !== isParagraphs) {
        return lacks(isParagraphs ? "paragraphs of several lines" : "a prompt on each line");
      }
      return isParagraphs
        ? fits("its paragraphs are separated by blank lines (text-lines makes each line a prompt)")
        : fits("it is a text without paragraphs of several lines");
    },

    async *read(source, context) {
      const maker = new TurnMaker(source.path, context);
      for await (const records of promptsOf(source)) {
        for (const record of records) {
          const turn = await maker.turn(record, { text: record.text }, [], false);
          yield { id: undefined, turns: [turn] };
        }
      }
    },
  };
}

/** Lines without a blank line between them. */
async function* paragraphs(source: InputSource): AsyncGenerator<InputRecord[]> {
  let open: InputRecord[] = [];
  const joined = (): InputRecord[] => {
    const [first] = open;
    if (first === undefined) return [];
    return [new InputRecord(open.map(({ text }) => text).join("\n"), first.place)];
  };
  for await (const records of inputLines(source)) {
    for (const record of records) {
      const last = open.at(-1);
      if (last !== undefined && record.place.line > last.place.line + 1) {
        yield joined();
        open = [];
      }
      open.push(record);
    }
  }
  yield joined();
}
