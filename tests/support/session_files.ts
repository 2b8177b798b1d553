/** The requests of files of recorded agent sessions in `fixtures/agents/`. */

import type { AgentsPlan } from "../../src/config/plan/agents_plan.ts";
import type { Conversation } from "../../src/load/dataset/conversations/conversation.ts";
import { BlockText } from "../../src/load/dataset/corpus/block_text.ts";
import { InputSource } from "../../src/load/dataset/formats/input_source.ts";
import { detectSessions } from "../../src/load/sessions/detect_sessions.ts";
import { SessionConversations } from "../../src/load/sessions/session_conversations.ts";

/** Replay of sessions as they were recorded. */
export const RECORDED_AGENTS: AgentsPlan = {
  toolTime: { kind: "recorded" },
  userTime: { kind: "recorded" },
  history: "recorded",
  onFailedCall: "branch",
  keepsOrder: true,
  burstsStarts: false,
  wraps: false,
};

/** Reads the requests of a file's sessions. */
export async function sessionConversations(
  path: string,
  agents: AgentsPlan = RECORDED_AGENTS,
): Promise<Conversation[]> {
  const source = await InputSource.open(path);
  const detected = await detectSessions(source, undefined);
  if (detected === undefined) throw new Error(`${path} has no sessions`);
  const file = detected.format.read(source, { blockSize: 16, outputTokens: undefined });
  const made = new SessionConversations({
    agents,
    isLive: agents.history === "live",
    hasGlobalBlocks: detected.format.hasGlobalBlocks,
    blockSize: () => file.blockSize(),
    blockText: () => BlockText.load(1, undefined),
  });
  const conversations: Conversation[] = [];
  for await (const session of file.sessions()) conversations.push(await made.of(session));
  return conversations;
}
