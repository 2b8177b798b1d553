import type { Message } from "../../../client/endpoint/protocol/conversation_format.ts";
import type { PromptPart } from "./agent_session.ts";
import type { CallDraft } from "./call_draft.ts";

/**
 * Makes the parts of whole bodies: a message that the call before has at the same place, or gave as
 * its reply, is the same object. So a body is kept as what it adds to an earlier one.
 */
export class SharedParts {
  readonly #before: readonly PromptPart[];

  /** @param before the call whose body this one may continue */
  constructor(before: Pick<CallDraft, "prompt" | "reply"> | undefined) {
    const { prompt, reply = [] } = before ?? {};
    this.#before = prompt?.kind === "texts" ? [...prompt.parts, ...reply] : [];
  }

  /** Returns the parts of messages. */
  of(messages: readonly Message[]): PromptPart[] {
    let isShared = true;
    return messages.map((message, place): PromptPart => {
      const before = this.#before[place];
      isShared &&= before?.kind === "message" &&
        JSON.stringify(before.message) === JSON.stringify(message);
      return isShared && before !== undefined ? before : { kind: "message", message };
    });
  }
}
