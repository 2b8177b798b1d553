import type { AgentSession } from "./model/agent_session.ts";
import type { PromptEncoder } from "./prompt_encoder.ts";

/** Returns a session whose calls with recorded replies of unknown length have the counted one. */
export function withCountedReplies(
  session: AgentSession,
  encoder: PromptEncoder | undefined,
): AgentSession {
  if (!session.calls.some(({ outputTokens }) => Number.isNaN(outputTokens))) return session;
  const calls = session.calls.map((call) => {
    if (!Number.isNaN(call.outputTokens)) return call;
    const texts = { tools: undefined, parts: call.reply, isJoined: true };
    return { ...call, outputTokens: Math.max(1, encoder?.encode(texts).length ?? 1) };
  });
  return { ...session, calls };
}
