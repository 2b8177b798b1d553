import { DatasetError } from "../../../core/files/dataset_error.ts";
import { csvRows } from "./csv_rows.ts";
import { fits, type InputFormat, lacks } from "./input_format.ts";
import { InputRecord } from "./input_record.ts";
import { inputSample, TEXT_NAME } from "./input_sample.ts";
import { LENGTH_FIELDS } from "./length_fields.ts";
import { TurnMaker } from "./single_turn.ts";

/** Names of columns with prompts; the first one that a table has is sent. */
const PROMPTS = [
  ...["prompt", "prompts", "user_prompt", "prompt_text", "text", "question", "query"],
  ...["instruction", "input", "message", "content"],
];
/** Name of the column with expected answers. */
const EXPECTED = "expected";
/** Names of columns with a system prompt. */
const SYSTEMS = ["system_prompt", "system"];
const TABLE_NAME = /\.(csv|tsv)$/i;

/** Tables with a column of prompts; their first line names the columns. */
export const csvPrompts: InputFormat = {
  name: "csv",
  description: "a table with a column of prompts",
  paging: "always",

  recognise({ path, layout, columns }) {
    const names = columns.map(normal);
    const found = columnOf(names, PROMPTS);
    const isTable = TABLE_NAME.test(path) ||
      (found === "prompt" && columns.length > 1 && !TEXT_NAME.test(path));
    return layout === "text" && isTable && found !== undefined && !names.includes("request tokens")
      ? fits(`it is a table with the column "${found}"`)
      : lacks("a .csv or .tsv file with a column such as prompt");
  },

  async *read(source, context) {
    const { columns, delimiter } = await inputSample(source, true);
    const prompts = columnOf(columns.map(normal), PROMPTS);
    if (prompts === undefined) {
      const named = columns.slice(0, 10).join(", ").slice(0, 200);
      throw new DatasetError(source.path, 1, `No column "prompt": got the columns ${named}`);
    }
    const maker = new TurnMaker(source.path, context);
    let empty = 0;
    for await (const { fields, line } of csvRows(source, delimiter)) {
      const cells = new Map(
        Object.entries(fields).map(([name, value]) => [normal(name), String(value)]),
      );
      const record = new InputRecord("", { path: source.path, line, column: 1 });
      const system = SYSTEMS.find((name) => (cells.get(name) ?? "").trim() !== "");
      const limit = LENGTH_FIELDS.find((name) => (cells.get(name) ?? "").trim() !== "");
      const read = new Set<string | undefined>([prompts, system, limit, EXPECTED]);
      const filled = [...cells].filter(([name, cell]) => cell !== "" && !read.has(name));
      source.unread.add(filled.map(([name]) => name));
      const text = cells.get(prompts) ?? "";
      if (text.trim() === "") {
        empty++;
        continue;
      }
      const length = limit === undefined ? undefined : Number(cells.get(limit));
      if (length !== undefined && !(Number.isInteger(length) && length > 0)) {
        throw record.error(`${limit}: Must be a whole number from 1`);
      }
      const row = { text, ...(length === undefined ? {} : { output_length: length }) };
      const instructions = system === undefined ? undefined : cells.get(system);
      const turn = await maker.turn(record, row, [], false, instructions);
      const expected = context.expectedOf(record, [], expectedIn(cells.get(EXPECTED) ?? ""));
      yield {
        id: undefined,
        turns: [expected === undefined ? turn : { ...turn, expected }],
      };
    }
    if (empty > 0) context.warn(`${source.path}: rows without a prompt, left out: ${empty}`);
  },
};

/** An expected answer as a cell has it: a JSON object, or an exact text; null for none. */
function expectedIn(cell: string): unknown {
  if (cell.trim() === "") return null;
  if (!cell.trim().startsWith("{")) return cell;
  try {
    return JSON.parse(cell);
  } catch {
    return cell;
  }
}

function normal(name: string): string {
  return name.trim().toLowerCase();
}

function columnOf(columns: readonly string[], names: readonly string[]): string | undefined {
  return names.find((name) => columns.includes(name));
}
