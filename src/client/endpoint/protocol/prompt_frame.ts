import { messagesSpan } from "./conversation_format.ts";
import type { BodySettings, EndpointType } from "./endpoint_type.ts";

/** Placeholder for a text: only letters and digits, which every format leaves unchanged. */
const MARK = "inferometerprompt7d41f0c95ae2n";
/** Reads each byte as one character. */
const decoder = new TextDecoder("latin1");

/** The texts that a body has room for, in their order. */
export interface PromptLayout {
  /** A system message before all others. */
  readonly hasSystem: boolean;
  /** A message of the user before the prompt. */
  readonly hasContext: boolean;
  /** Texts of the prompt itself. */
  readonly texts: number;
}

/** A body whose one text is its prompt. */
const ONE_PROMPT: PromptLayout = { hasSystem: false, hasContext: false, texts: 1 };

/** The bytes of a request body around its texts. */
export interface PromptFrame {
  /** Bytes before each text and after the last: one part more than there are texts. */
  readonly parts: readonly Uint8Array[];
  /**
   * Bytes of the parts that come before the messages, and bytes of the last that still belong to
   * them; undefined for bodies without messages.
   */
  readonly messages: { readonly start: number; readonly endAfter: number } | undefined;
}

/**
 * The bytes around the texts of a body; undefined if the body does not hold each of them once.
 * @throws {RangeError} if the layout has messages and the endpoint type knows none
 */
export function promptFrame(
  type: EndpointType,
  settings: BodySettings,
  outputTokens: number | undefined,
  layout: PromptLayout = ONE_PROMPT,
): PromptFrame | undefined {
  const { hasSystem, hasContext, texts: count } = layout;
  const marks: string[] = [];
  const mark = (): string => {
    // A letter after the number, so that none is the beginning of another.
    marks.push(`${MARK}${marks.length}e`);
    return marks.at(-1) as string;
  };
  const before: ("system" | "user")[] = [
    ...hasSystem ? ["system" as const] : [],
    ...hasContext ? ["user" as const] : [],
  ];
  const { conversation } = type;
  if (before.length > 0 && conversation === undefined) {
    throw new RangeError(`Endpoint type ${type.name} takes no messages`);
  }
  const messages = before.map((role) =>
    role === "system"
      ? conversation?.systemMessage(mark())
      : conversation?.userMessage({ texts: [mark()], images: [] })
  ).filter((message) => message !== undefined);
  const texts = Array.from({ length: count }, mark);
  const content = { texts, images: [], outputTokens, extra: {} };
  const fields = messages.length === 0 || conversation === undefined
    ? type.buildBody(content, settings)
    : conversation.buildBody([...messages, conversation.userMessage(content)], content, settings);
  const body = type.body.encode(fields);
  const text = decoder.decode(body);
  const parts: Uint8Array[] = [];
  let at = 0;
  for (const one of marks) {
    const start = text.indexOf(one);
    if (start < at || start !== text.lastIndexOf(one)) return undefined;
    parts.push(body.subarray(at, start));
    at = start + one.length;
  }
  parts.push(body.subarray(at));
  const span = conversation && messagesSpan(conversation, fields);
  // A system message apart from the others lies before them.
  const marked = conversation?.systemField !== undefined && hasSystem ? marks[0]?.length ?? 0 : 0;
  return {
    parts,
    messages: span && { start: span.start - marked, endAfter: span.end - at },
  };
}
