import assert from "node:assert/strict";
import type { EndpointType } from "../../../../src/client/endpoint/protocol/endpoint_type.ts";
import { messages } from "../../../../src/client/endpoint/anthropic/messages.ts";
import { chat } from "../../../../src/client/endpoint/openai/chat.ts";
import { responses } from "../../../../src/client/endpoint/openai/responses.ts";
import type { CacheBustTarget } from "../../../../src/config/plan/prompts_plan.ts";
import type { Conversation } from "../../../../src/load/dataset/conversations/conversation.ts";
import { conversationTable } from "../../../../src/load/dataset/conversations/conversation_table.ts";
import { withSystemPrompt } from "../../../../src/load/dataset/conversations/with_system_prompt.ts";
import type { PayloadTable } from "../../../../src/load/dataset/payloads/payload_table.ts";
import { BUILTIN } from "../../../support/builtin.ts";
import { sessionConversations } from "../../../support/session_files.ts";

const AGENTS = new URL("../../../../fixtures/agents/", import.meta.url).pathname;
const FILES = [
  ...["weka_linear_compaction.json", "weka_mixed_long.json", "weka_flat_fanout.json"],
  ...["mlperf_rows.jsonl", "agentperf_task.jsonl", "otel_otlp.json", "dynamo_tools_children.jsonl"],
  ...["tracelab_subagent.jsonl", "agentic_mooncake_v1.jsonl"],
];
const BODY = { streaming: true, legacyMaxTokens: false, extraInputs: {}, perChunkUsage: false };

/** The same requests, each whole. */
function whole(conversations: readonly Conversation[]): Conversation[] {
  return conversations.map(({ id, turns }) => ({
    id,
    turns: turns.map((turn) => {
      const { shared, ...others } = turn;
      return shared === undefined ? turn : { ...others, request: shared.whole() };
    }),
  }));
}

async function tableOf(
  conversations: readonly Conversation[],
  type: EndpointType,
  cacheBust: CacheBustTarget | undefined,
  system: string | undefined,
): Promise<PayloadTable> {
  const plan = { models: ["m", "longer"], body: BODY, ...(cacheBust && { cacheBust }) };
  async function* given(): AsyncGenerator<Conversation> {
    yield* conversations;
  }
  const all = system === undefined ? given() : withSystemPrompt(given(), system, "file");
  return await conversationTable(all, plan, type, BUILTIN, { path: "file" });
}

for (const file of FILES) {
  Deno.test(`bodies of ${file} that share beginnings are those sent whole`, async () => {
    const conversations = await sessionConversations(`${AGENTS}${file}`);
    const shares = conversations.flatMap(({ turns }) => turns.filter(({ shared }) => shared));
    const hasSystem = conversations.some(({ turns }) =>
      turns.some(({ request }) =>
        request.kind === "messages" && request.messages.some(({ role }) => role === "system")
      )
    );
    for (const type of [chat, responses, messages]) {
      for (const cacheBust of ["first-turn-prefix", "first-turn-suffix", undefined] as const) {
        const system = cacheBust === undefined && !hasSystem ? "Be brief é." : undefined;
        const table = await tableOf(conversations, type, cacheBust, system);
        const other = await tableOf(whole(conversations), type, cacheBust, system);
        assert.ok(shares.length === 0 || table.data.shared?.base.some((base) => base >= 0));
        assert.ok(table.data.arena.length <= other.data.arena.length);
        for (let entry = 0; entry < other.data.inputTokens.length; entry++) {
          for (const model of [0, 1]) {
            assert.deepEqual(table.wholeBodyOf(entry, model), other.wholeBodyOf(entry, model));
          }
        }
        for (const column of ["inputTokens", "outputTokens", "inputParts"] as const) {
          assert.deepEqual(table.data[column], other.data[column], column);
        }
        assert.deepEqual(table.data.markers, other.data.markers);
        assert.deepEqual(
          table.data.conversations?.messagesEnd,
          other.data.conversations?.messagesEnd,
        );
      }
    }
  });
}
