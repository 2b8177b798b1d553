import { createParser } from "eventsource-parser";

/** What an OpenAI-compatible stream brought, read by a parser that is not the product's. */
export interface StreamEvents {
  /** The data of its events, `[DONE]` left out. */
  readonly chunks: readonly StreamChunk[];
  readonly isDone: boolean;
  readonly text: string;
  readonly reasoning: string;
  /** Chunks whose text or reasoning is not empty. */
  readonly contentChunks: number;
  readonly finishReason: string | null;
  /** Of the last chunk that has one. */
  readonly usage: Readonly<Record<string, unknown>> | undefined;
}

/** A chunk as far as these tests look at it. */
export interface StreamChunk {
  readonly id: string;
  readonly object: string;
  readonly model: string;
  readonly choices: readonly {
    readonly index?: number;
    readonly delta?: { readonly content?: string; readonly "reasoning_content"?: string };
    readonly text?: string;
    readonly "finish_reason": string | null;
  }[];
  readonly usage?: Readonly<Record<string, unknown>>;
}

/** Reads the body of a stream. */
export function streamEvents(body: string): StreamEvents {
  const data: string[] = [];
  createParser({ onEvent: (event) => data.push(event.data) }).feed(body);
  const chunks = data.filter((text) => text !== "[DONE]").map((text): StreamChunk =>
    JSON.parse(text)
  );
  const texts = chunks.map(({ choices: [choice] }) => choice?.delta?.content ?? choice?.text ?? "");
  const thoughts = chunks.map(({ choices: [choice] }) => choice?.delta?.reasoning_content ?? "");
  return {
    chunks,
    isDone: data.at(-1) === "[DONE]",
    text: texts.join(""),
    reasoning: thoughts.join(""),
    contentChunks: chunks.filter((_, index) => `${texts[index]}${thoughts[index]}` !== "").length,
    finishReason: chunks.findLast(({ choices: [choice] }) => choice?.finish_reason)?.choices[0]
      ?.finish_reason ?? null,
    usage: chunks.findLast(({ usage }) => usage !== undefined)?.usage,
  };
}
