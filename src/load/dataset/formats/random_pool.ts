import * as z from "npm:zod@4.6.7";
import type { Expected } from "../../../measurement/answers/expected/expected.ts";
import type { PromptContent } from "../../../client/endpoint/protocol/endpoint_type.ts";
import { randomStream } from "../../../core/statistics/random_stream.ts";
import { DatasetError } from "../../../core/files/dataset_error.ts";
import { fits, type InputFormat, lacks } from "./input_format.ts";
import { inputLines } from "./input_lines.ts";
import type { InputRecord } from "./input_record.ts";
import { FOLDER_FILES } from "./input_sample.ts";
import { CONTENT_FIELDS, TURN_FIELDS, TurnMaker, type TurnRow } from "./single_turn.ts";

const poolRow = z.looseObject({ ...TURN_FIELDS, type: z.unknown().optional() });

interface PoolRow {
  readonly record: InputRecord;
  readonly row: TurnRow;
}

/**
 * Prompts drawn at random, with replacement, from the rows of a file; of a folder one row of each
 * file is drawn, and they make one prompt. Times in rows are not used.
 */
export const randomPool: InputFormat = {
  name: "random-pool",
  description: "rows to draw from, or a folder of such files",
  takesFolders: true,

  // A single file looks like single turns; only its user knows that it is a pool.
  recognise({ layout, record = {} }) {
    const found = CONTENT_FIELDS.find((name) => name in record);
    return layout === "folder" && found !== undefined
      ? fits(`it is a folder whose first file's first record has "${found}"`)
      : lacks("a folder of JSON lines with text, or to be named");
  },

  async *read(source, context) {
    const files = source.isFolder ? await source.files(FOLDER_FILES) : [source];
    const pools: { readonly rows: PoolRow[]; readonly maker: TurnMaker }[] = [];
    for (const file of files) {
      const rows: PoolRow[] = [];
      for await (const records of inputLines(file)) {
        rows.push(...records.map((record) => ({ record, row: record.parsed(poolRow) })));
      }
      if (rows.length === 0) throw new DatasetError(file.path, undefined, "File has no rows");
      pools.push({ rows, maker: new TurnMaker(file.path, context) });
    }
    for (let index = 0; index < context.dataset.draws; index++) {
      const random = randomStream(context.seed, "dataset.pool", index);
      const drawn: PromptContent[] = [];
      let expected: Expected | undefined;
      for (const { rows, maker } of pools) {
        const { record, row } = rows[Math.floor(random() * rows.length)] as PoolRow;
        drawn.push(await maker.content(record, row, []));
        if (row.expected !== undefined) expected ??= context.expectedOf(record, []);
      }
      const [first, ...others] = drawn as [PromptContent, ...PromptContent[]];
      const content = others.reduce((one, other) => ({
        texts: [...one.texts, ...other.texts],
        images: [...one.images, ...other.images],
        audios: [...one.audios ?? [], ...other.audios ?? []],
        outputTokens: one.outputTokens ?? other.outputTokens,
        extra: { ...one.extra, ...other.extra },
      }), first);
      yield {
        id: undefined,
        turns: [{
          request: { kind: "content", content },
          delayMs: 0,
          timestampMs: undefined,
          followsHistory: false,
          ...(expected === undefined ? {} : { expected }),
        }],
      };
    }
  },
};
