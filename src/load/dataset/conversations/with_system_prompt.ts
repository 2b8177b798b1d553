import type { Conversation, ConversationTurn } from "./conversation.ts";
import { DatasetError } from "../../../core/files/dataset_error.ts";

/**
 * Conversations that begin with a system message.
 * @param path names their source in errors
 * @throws {DatasetError} if one has a system message already, or cannot be changed
 */
export async function* withSystemPrompt(
  conversations: AsyncIterable<Conversation>,
  system: string,
  path: string,
): AsyncGenerator<Conversation> {
  let number = 0;
  for await (const conversation of conversations) {
    const name = conversation.id ?? `session_${String(number).padStart(6, "0")}`;
    number++;
    yield {
      ...conversation,
      turns: conversation.turns.map((turn, place) =>
        // Later turns carry it in their history; those without one have their own.
        place > 0 && turn.followsHistory ? turn : withSystem(turn, system, (message) => {
          const where = `Conversation ${name}, turn ${place}`;
          throw new DatasetError(path, undefined, `${where}: --system-prompt: ${message}`);
        })
      ),
    };
  }
}

function withSystem(
  turn: ConversationTurn,
  system: string,
  refuse: (message: string) => never,
): ConversationTurn {
  const { request } = turn;
  switch (request.kind) {
    case "content":
      if (request.system !== undefined) return refuse("It has a system message of its own");
      return {
        ...turn,
        request: { ...request, system },
        ...sharedWithSystem(turn, system, refuse),
      };
    case "messages": {
      // The messages before the own ones have it.
      if (turn.shared !== undefined) return { ...turn, ...sharedWithSystem(turn, system, refuse) };
      if (request.messages.some(({ role }) => role === "system")) {
        return refuse("It has a system message of its own");
      }
      const messages = [{ "role": "system", "content": system }, ...request.messages];
      return { ...turn, request: { ...request, messages } };
    }
    default:
      return refuse("Its body is sent unchanged");
  }
}

/** The shared beginning of a request with the system message, which is one more message. */
function sharedWithSystem(
  turn: ConversationTurn,
  system: string,
  refuse: (message: string) => never,
): Pick<ConversationTurn, "shared"> {
  const { shared, request } = turn;
  if (shared === undefined) return {};
  const kept = request.kind === "messages" ? shared.kept + 1 : shared.kept;
  const whole = (): ConversationTurn["request"] => {
    const { shared: _, ...alone } = turn;
    return withSystem({ ...alone, request: shared.whole() }, system, refuse).request;
  };
  return { shared: { ...shared, kept, whole } };
}
