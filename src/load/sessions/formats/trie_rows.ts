import * as z from "npm:zod@4.6.7";
import { inputLines } from "../../dataset/formats/input_lines.ts";
import type { InputRecord } from "../../dataset/formats/input_record.ts";
import { type PromptPart, unknownReply } from "../model/agent_session.ts";
import { CallDraft, finishedSession } from "../model/call_draft.ts";
import type { SessionFormat } from "../model/session_format.ts";

const lengths = z.array(z.number().nonnegative());

const row = z.looseObject({
  input_prompt_length: z.int().nonnegative(),
  num_turns: z.int().nonnegative(),
  assistant_response_length: lengths,
  tool_call_output_length: lengths,
  tool_call_latency: lengths,
  final_assistant_response_length: z.int().nonnegative(),
});

/** EvalScope's rows of lengths: a prompt, and for each turn a reply and the output of a tool. */
export const trieRows: SessionFormat = {
  name: "trie",
  description: "EvalScope's rows of lengths and tool latencies",
  hasGlobalBlocks: true,
  isTogether: true,

  recognise({ names }) {
    return names.has("tool_call_output_length") ? '"tool_call_output_length"' : undefined;
  },

  read(source, { blockSize }) {
    return {
      async *sessions() {
        let number = 0;
        for await (const records of inputLines(source)) {
          for (const record of records) {
            const id = `row_${number++}`;
            yield finishedSession(source.path, id, callsOf(id, record));
          }
        }
      },
      blockSize: () => blockSize,
    };
  },
};

function callsOf(id: string, record: InputRecord): CallDraft[] {
  const fields = record.parsed(row);
  const { num_turns: turns } = fields;
  for (
    const name of [
      "assistant_response_length",
      "tool_call_output_length",
      "tool_call_latency",
    ] as const
  ) {
    if (fields[name].length < turns) throw record.error(`Must have ${turns} values`, [name]);
  }
  const outputs = [
    ...fields.assistant_response_length.slice(0, turns),
    fields.final_assistant_response_length,
  ];
  const calls: CallDraft[] = [];
  const text = (name: string, tokens: number): PromptPart => ({
    kind: "tokens",
    key: `${id} ${name}`,
    from: 0,
    to: Math.round(tokens),
  });
  const parts = [text("prompt", fields.input_prompt_length)];
  outputs.forEach((outputTokens, place) => {
    const call = new CallDraft(`${id}#${place}`);
    const before = calls.at(-1);
    if (before !== undefined) {
      const results = fields.tool_call_output_length[place - 1] as number;
      parts.push(...before.reply ?? [], text(`result ${place}`, results));
      call.toolMs = (fields.tool_call_latency[place - 1] as number) * 1000;
      call.after(before, "sequence", call.toolMs);
      call.gapClass = "tool";
    }
    call.prompt = { kind: "texts", tools: undefined, parts: [...parts], isJoined: false };
    call.outputTokens = outputTokens;
    call.reply = [unknownReply(call.id, Math.round(outputTokens))];
    calls.push(call);
  });
  return calls;
}
