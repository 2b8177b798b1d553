import type { PayloadPage } from "../../src/load/dataset/payloads/payload_page.ts";
import { PayloadTableBuilder } from "../../src/load/dataset/payloads/payload_table_builder.ts";

/** A page of two conversations of one turn each, in so many bytes. */
export function payloadPage(firstConversation: number, arenaBytes: number): PayloadPage {
  const builder = new PayloadTableBuilder();
  for (const text of ["one", "two"]) {
    builder.beginConversation(text);
    builder.addTurn(
      [builder.addSegment(new TextEncoder().encode(text))],
      { inputTokens: 1, outputTokens: 1, images: 0 },
      { delayNs: 0, timestampNs: NaN, messages: undefined, followsHistory: false },
    );
  }
  const { data } = builder.finish(0, {}, true);
  const arena = new Uint8Array(new SharedArrayBuffer(arenaBytes));
  arena.set(data.arena);
  return {
    data: { ...data, arena },
    firstConversation,
    firstEntry: firstConversation,
    fileEntry: firstConversation,
    pass: 0,
  };
}
