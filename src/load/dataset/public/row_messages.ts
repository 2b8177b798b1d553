/** A message of a conversation in a column. */
interface Message {
  /** Role of the speaker in lower case; empty if it is not given. */
  readonly who: string;
  readonly text: string;
}

/** Prompt of a user and the answer to it. */
export interface Exchange {
  readonly prompt: string;
  readonly reply: string;
}

const PEOPLE = new Set(["human", "user"]);
const MODELS = new Set(["gpt", "assistant"]);
/** Placeholder in texts for the image. */
const IMAGE_MARK = "<image>";

/** Returns the first prompt of the user; empty if there is none. */
export function firstPrompt(column: unknown): string {
  const messages = messagesOf(column);
  return (messages.find(({ who }) => PEOPLE.has(who)) ?? messages[0])?.text ?? "";
}

/**
 * Returns the prompts of the user, each with the answer that follows; prompts without an answer are
 * skipped. If no speaker is given, the first two messages are one exchange.
 */
export function exchanges(column: unknown): Exchange[] {
  const all = messagesOf(column);
  const [first, second] = all;
  if (all.every(({ who }) => who === "")) {
    return first === undefined || second === undefined || first.text === "" || second.text === ""
      ? []
      : [{ prompt: first.text, reply: second.text }];
  }
  const messages = all.filter(({ who }) => PEOPLE.has(who) || MODELS.has(who));
  const found: Exchange[] = [];
  for (let i = 0; i + 1 < messages.length; i++) {
    const [question, answer] = [messages[i] as Message, messages[i + 1] as Message];
    if (!PEOPLE.has(question.who) || !MODELS.has(answer.who)) continue;
    if (question.text !== "" && answer.text !== "") {
      found.push({ prompt: question.text, reply: answer.text });
    }
    i++;
  }
  return found;
}

/** Returns messages of either spelling; some datasets have each one in a list of its own. */
function messagesOf(column: unknown): Message[] {
  if (!Array.isArray(column)) return [];
  return column.flatMap((entry): Message[] => {
    const message = Array.isArray(entry) ? entry[0] : entry;
    if (typeof message !== "object" || message === null) return [];
    const who = message["from"] ?? message["role"] ?? "";
    const text = message["value"] ?? message["content"];
    return [{
      who: String(who).toLowerCase(),
      text: typeof text === "string" ? text.replaceAll(IMAGE_MARK, "").trim() : "",
    }];
  });
}
