import * as z from "npm:zod@4.6.7";
import { type PromptPart, unknownReply } from "../model/agent_session.ts";
import { CallDraft, finishedSession } from "../model/call_draft.ts";
import { checkedRecord } from "../model/checked_record.ts";
import { readDocuments } from "../model/read_documents.ts";
import type { SessionFormat } from "../model/session_format.ts";

/** Output tokens of a call, as SGLang asks for them. */
const OUTPUT_TOKENS = 220;

const document = z.looseObject({
  conversations: z.array(z.array(z.looseObject({
    messages: z.array(z.record(z.string(), z.unknown())).optional(),
    prompt_tokens: z.number().optional(),
  }))),
});

/** SGLang's agentic traces: the new messages of each turn, with live replies between them. */
export const sglangAgentic: SessionFormat = {
  name: "sglang-agentic",
  description: "SGLang's agentic traces: conversations with the new messages of each turn",
  hasGlobalBlocks: true,
  isTogether: true,

  recognise({ names, values }) {
    if (!names.has("conversations")) return undefined;
    const { conversations } = values;
    // A list of one conversation is ShareGPT's.
    const isNested = !Array.isArray(conversations) || Array.isArray(conversations[0]);
    return isNested && !names.has("id") ? '"conversations", a list for each' : undefined;
  },

  read(source, { outputTokens = OUTPUT_TOKENS, blockSize }) {
    return {
      async *sessions() {
        let number = 0;
        for await (const record of readDocuments(source)) {
          for (const turns of checkedRecord(record, document).conversations) {
            const id = `conversation_${number++}`;
            const calls: CallDraft[] = [];
            let history: PromptPart[] = [];
            turns.forEach(({ messages = [], prompt_tokens: promptTokens }, place) => {
              if (messages.length === 0) return;
              const call = new CallDraft(`${id}#${place}`);
              const own = messages.map((message): PromptPart => ({ kind: "message", message }));
              const parts = [...history, ...own];
              call.prompt = { kind: "texts", tools: undefined, parts, isJoined: true };
              call.outputTokens = outputTokens;
              call.recordedInputTokens = promptTokens;
              const before = calls.at(-1);
              if (before !== undefined) {
                call.after(before, "sequence");
                call.gapClass = "tool";
              }
              history = [...parts, unknownReply(call.id, outputTokens)];
              calls.push(call);
            });
            if (calls.length > 0) yield finishedSession(source.path, id, calls);
          }
        }
      },
      blockSize: () => blockSize,
    };
  },
};
