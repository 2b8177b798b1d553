/** A message of a conversation in a column. */
interface Message {
  /** In lower case; empty where nobody says who speaks. */
  readonly who: string;
  readonly text: string;
}

/** What a person said, and what was answered. */
export interface Exchange {
  readonly prompt: string;
  readonly reply: string;
}

const PEOPLE = new Set(["human", "user"]);
const MODELS = new Set(["gpt", "assistant"]);
/** Stands in texts where the picture is. */
const IMAGE_MARK = "<image>";

/** What a person says first; empty if nobody does. */
export function firstPrompt(column: unknown): string {
  const messages = messagesOf(column);
  return (messages.find(({ who }) => PEOPLE.has(who)) ?? messages[0])?.text ?? "";
}

/**
 * What a person says, each time with the answer that comes next; what has no answer is left out.
 * Where nobody says who speaks, the first two messages are one exchange.
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

/** Messages of either spelling; some data sets have each one in a list of its own. */
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
