import type { BodySettings, EndpointType } from "./endpoint_type.ts";

/** Stands for the prompt: letters and digits alone, which every format leaves as they are. */
const MARK = "inferometerprompt7d41f0c95ae2";
/** Reads each byte as one character. */
const decoder = new TextDecoder("latin1");

/** The bytes of a request body before and after its one prompt. */
export interface PromptFrame {
  readonly before: Uint8Array;
  readonly after: Uint8Array;
  /**
   * Bytes of `before` that come before the messages, and bytes of `after` that still belong to them;
   * undefined for bodies without messages.
   */
  readonly messages: { readonly start: number; readonly endAfter: number } | undefined;
}

/** The bytes around the prompt of a body; undefined if the body does not hold its prompt once. */
export function promptFrame(
  type: EndpointType,
  settings: BodySettings,
  outputTokens: number | undefined,
): PromptFrame | undefined {
  const content = { texts: [MARK], images: [], outputTokens, extra: {} };
  const fields = type.buildBody(content, settings);
  const body = type.body.encode(fields);
  const text = decoder.decode(body);
  const start = text.indexOf(MARK);
  if (start < 0 || start !== text.lastIndexOf(MARK)) return undefined;
  const end = start + MARK.length;
  const span = type.conversation?.messagesSpan(fields);
  return {
    before: body.subarray(0, start),
    after: body.subarray(end),
    messages: span && { start: span.start, endAfter: span.end - end },
  };
}
