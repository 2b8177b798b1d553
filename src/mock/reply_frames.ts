/** The bytes of a streamed reply, made when its request has arrived so that only writing is left to do. */

import type {
  ScriptedReply,
  StreamFrames,
  StreamWriter,
} from "../client/endpoint/protocol/reply_writer.ts";
import { chunkText, LAST_CHUNK, streamHead, utf8Length } from "../client/http/reply_text.ts";

const encoder = new TextEncoder();

/** A stream's bytes and where they may be cut. */
export interface ReplyFrames {
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** End of what comes before the first content chunk. */
  readonly openingEnd: number;
  /** End of each content chunk; the first includes the head of the reply. */
  readonly chunkEnds: readonly number[];
  /** Tokens of each content chunk, and the choice it belongs to. */
  readonly chunkTokens: readonly number[];
  readonly chunkChoices: readonly number[];
  /** Whether nothing follows the last content chunk: that chunk marks the end of the reply. */
  readonly endsWithContent: boolean;
}

/** The frames of a streamed reply. */
export function streamFrames(writer: StreamWriter, reply: ScriptedReply): ReplyFrames {
  const frames = writer.frames(reply);
  const head = streamHead(writer.contentType);
  const rest = {
    chunkTokens: frames.content.map((_, index) => reply.pieces[index]?.tokens ?? 0),
    chunkChoices: frames.content.map((_, index) => reply.pieces[index]?.choice ?? 0),
    endsWithContent: frames.closing.length === 0,
  };
  // Nearly all replies are ASCII, of which every character is a byte.
  const { text, ...ends } = chunkedText(head, frames, (text) => text.length);
  const bytes = encoder.encode(text);
  if (bytes.length === text.length) return { bytes, ...ends, ...rest };
  const { text: measured, ...measuredEnds } = chunkedText(head, frames, utf8Length);
  return { bytes: encoder.encode(measured), ...measuredEnds, ...rest };
}

/** The whole reply, and where each content chunk ends by this measure. */
function chunkedText(
  head: string,
  { opening, content, closing }: StreamFrames,
  measure: (text: string) => number,
): Pick<ReplyFrames, "openingEnd" | "chunkEnds"> & { readonly text: string } {
  const parts = [head];
  let length = measure(head);
  const add = (frame: string): number => {
    const chunk = chunkText(frame, measure(frame));
    parts.push(chunk);
    return length += measure(chunk);
  };
  opening.forEach(add);
  const openingEnd = length;
  const chunkEnds = content.map(add);
  closing.forEach(add);
  return { text: parts.join("") + LAST_CHUNK, openingEnd, chunkEnds };
}
