import assert from "node:assert/strict";
import { chat } from "../../../../src/client/endpoint/openai/chat.ts";
import type { Conversation } from "../../../../src/load/dataset/conversations/conversation.ts";
import { PageReader, PAGING } from "../../../../src/load/dataset/conversations/page_reader.ts";
import { conversationsOf } from "../../../../src/load/dataset/payloads/payload_page.ts";

const BODY = { streaming: false, legacyMaxTokens: false, extraInputs: {}, perChunkUsage: false };

/** Conversations of short requests, as many as there are turns given. */
async function* conversationsWith(...turns: number[]): AsyncGenerator<Conversation> {
  for (const count of turns) {
    yield {
      id: undefined,
      turns: Array.from({ length: count }, () => ({
        request: { kind: "bytes", bytes: new Uint8Array([123, 125]) },
        delayMs: 0,
        timestampMs: undefined,
        followsHistory: false,
      })),
    };
  }
}

/** Conversations and pass of each page of a file. */
async function pagesOf(isOnce: boolean, conversations: number): Promise<[number, number][]> {
  const source = {
    path: "file",
    isStream: false,
    conversations: () => conversationsWith(1, 4, 1, 3),
    close() {},
  };
  const paging = { ...PAGING, pageBytes: 1000, firstPageBytes: 1000 };
  const plan = { models: ["m"], body: BODY };
  const reader = new PageReader(source, plan, chat, undefined, paging, { isOnce });
  const pages = reader.pages(
    { conversations, isSchedule: false },
    new AbortController().signal,
  );
  return await Array.fromAsync(pages, (page) => [conversationsOf(page), page.pass]);
}

Deno.test("PageReader counts the columns of requests as part of a page", async () => {
  // Four requests of two bytes fill a page.
  assert.deepEqual(await pagesOf(true, 100), [[2, 0], [2, 0]]);
});

Deno.test("PageReader begins the file again, unless a phase ends with it", async () => {
  assert.deepEqual(await pagesOf(false, 7), [[2, 0], [2, 0], [2, 1], [1, 1]]);
});
