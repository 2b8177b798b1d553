import * as z from "npm:zod@4.6.7";
import { inputLines } from "../../dataset/formats/input_lines.ts";
import { blockPrompt } from "../model/agent_session.ts";
import { CallDraft, finishedSession } from "../model/call_draft.ts";
import type { SessionFormat } from "../model/session_format.ts";

const row = z.looseObject({
  session_id: z.union([z.string(), z.number()]).optional(),
  input_length: z.int().nonnegative(),
  output_length: z.int().nonnegative().optional(),
  hash_ids: z.array(z.union([z.number(), z.string()])).optional(),
  timestamp: z.number().optional(),
  delay: z.number().nonnegative().optional(),
});

/** Calls of one session, and the time of its first row. */
interface MooncakeSession {
  readonly calls: CallDraft[];
  readonly startMs: number;
}

/** Mooncake's traces as sessions: rows of one `session_id` follow each other. */
export const mooncakeSessions: SessionFormat = {
  name: "mooncake-trace",
  description: "a trace of lengths with hash_ids, in Mooncake's layout",
  hasGlobalBlocks: true,
  isTogether: false,

  recognise({ names }) {
    return names.has("input_length") ? '"input_length"' : undefined;
  },

  read(source, { blockSize }) {
    return {
      async *sessions() {
        const sessions = new Map<string, MooncakeSession>();
        let number = 0;
        for await (const records of inputLines(source)) {
          for (const record of records) {
            const fields = record.parsed(row);
            const id = String(fields.session_id ?? `row${number}`);
            number++;
            const known = sessions.get(id);
            const startMs = known?.startMs ?? fields.timestamp ?? 0;
            const call = callOf(`${id}#${known?.calls.length ?? 0}`, fields, blockSize);
            const before = known?.calls.at(-1);
            if (before !== undefined) {
              call.after(before, "sequence", fields.delay ?? 0);
              if (fields.delay === undefined && fields.timestamp !== undefined) {
                call.notBeforeMs = fields.timestamp - startMs;
              }
            }
            if (known === undefined) sessions.set(id, { calls: [call], startMs });
            else known.calls.push(call);
          }
        }
        const firstMs = [...sessions.values()]
          .reduce((least, { startMs }) => Math.min(least, startMs), Infinity);
        for (const [id, { calls, startMs }] of sessions) {
          yield finishedSession(source.path, id, calls, { offsetMs: startMs - firstMs });
        }
      },
      blockSize: () => blockSize,
    };
  },
};

function callOf(id: string, fields: z.infer<typeof row>, blockSize: number): CallDraft {
  const { input_length: inputTokens, output_length: outputTokens = 1, hash_ids: hashes = [] } =
    fields;
  const call = new CallDraft(id);
  call.outputTokens = Math.max(1, outputTokens);
  call.prompt = blockPrompt(inputTokens, hashes, blockSize);
  return call;
}
