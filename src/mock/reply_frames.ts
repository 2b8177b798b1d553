/** The bytes of a streamed reply, made when its request has arrived so that only writing is left to do. */

import type { ScriptedReply, StreamWriter } from "../endpoint/reply_writer.ts";
import { chunkText, LAST_CHUNK, streamHead, utf8Length } from "../http/reply_text.ts";

const encoder = new TextEncoder();

/** A stream's bytes and where they may be cut. */
export interface ReplyFrames {
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** End of each content chunk; the first includes the head of the reply. */
  readonly chunkEnds: readonly number[];
  /** Tokens of each content chunk. */
  readonly chunkTokens: readonly number[];
}

/** The frames of a streamed reply. */
export function streamFrames(writer: StreamWriter, reply: ScriptedReply): ReplyFrames {
  const { opening, content, closing } = writer.frames(reply);
  const parts = [streamHead(writer.contentType), ...opening.map(chunkText)];
  let length = parts.reduce((sum, part) => sum + utf8Length(part), 0);
  const chunkEnds = content.map((frame) => {
    const chunk = chunkText(frame);
    parts.push(chunk);
    return length += utf8Length(chunk);
  });
  parts.push(...closing.map(chunkText), LAST_CHUNK);
  return {
    bytes: encoder.encode(parts.join("")),
    chunkEnds,
    chunkTokens: content.map((_, index) => reply.pieces[index]?.tokens ?? 0),
  };
}
