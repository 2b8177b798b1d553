/** Replies with images, whole and streamed, in OpenAI's form. */

import { isFields, readCommonFields, stringOf } from "../protocol/delta.ts";
import { judgeEnding, type ReplyProtocol } from "../protocol/reply_protocol.ts";
import { askedByFields, type ReplyWriter, type ScriptedReply } from "../protocol/reply_writer.ts";
import { eventFrame } from "../protocol/scripted_text.ts";

/** An image of one pixel, as PNG. */
const PIXEL =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

/**
 * A list `data` of images, as bytes or URLs; in streams each image ends with an event of its own,
 * `image_generation.completed` or `image_edit.completed`. What is shown before that is no image yet.
 */
export const IMAGE_REPLIES: ReplyProtocol = {
  endMark: "[DONE]",
  eventMeanings: new Map([["error", "error"], ["ping", "ignored"]]),
  readDelta(json, delta, eventName) {
    readCommonFields(json, delta);
    const type = stringOf(json["type"]) || eventName;
    const { data } = json;
    if (Array.isArray(data)) {
      if (data.every(isImage)) delta.items = data.length;
      else delta.error ??= "Reply has entries that are no images";
    } else if (type.endsWith(".completed") && isImage(json)) {
      delta.items = 1;
      delta.finishReason = "completed";
    }
  },
  judge(ending) {
    const { endSeen, isComplete, isWhole, finishReason } = ending;
    const isOrderly = isComplete && (isWhole || endSeen || finishReason !== null);
    const error = judgeEnding(ending, isOrderly, "an image that is completed");
    return error?.kind === "no_content"
      ? { ...error, message: "Reply is complete but has no images" }
      : error;
  },
};

function isImage(entry: unknown): boolean {
  if (!isFields(entry)) return false;
  return stringOf(entry["b64_json"]) !== "" || stringOf(entry["url"]) !== "";
}

/** Writes images of one pixel, as many as `n` says. */
const IMAGE_WRITER: ReplyWriter = {
  writesReasoning: false,
  asked: (fields) => ({
    ...askedByFields(fields),
    results: Math.max(1, Math.min(10, Math.floor(Number(fields["n"]) || 1))),
  }),
  whole: (reply) => ({
    contentType: "application/json",
    body: JSON.stringify({
      "created": reply.createdSeconds,
      "data": Array.from({ length: reply.results }, () => ({ "b64_json": PIXEL })),
      "usage": countsOf(reply),
    }),
  }),
};

function countsOf({ promptTokens, results }: ScriptedReply): Record<string, number> {
  return {
    "total_tokens": promptTokens + results,
    "input_tokens": promptTokens,
    "output_tokens": results,
  };
}

/** Image replies as streams, with a partial image before the first complete one. */
export function imageStreamWriter(name: string): ReplyWriter {
  const event = (type: string, fields: Record<string, unknown>) =>
    eventFrame({ "type": `${name}.${type}`, ...fields }, `${name}.${type}`);
  return {
    ...IMAGE_WRITER,
    stream: {
      contentType: "text/event-stream",
      frames: (reply) => ({
        opening: [event("partial_image", { "b64_json": PIXEL, "partial_image_index": 0 })],
        content: Array.from({ length: reply.results }, () =>
          event("completed", {
            "b64_json": PIXEL,
            "created_at": reply.createdSeconds,
            "usage": countsOf(reply),
          })),
        closing: [],
      }),
      failure: (message) => [
        eventFrame({
          "type": "error",
          "error": { "type": "image_generation_server_error", "message": message },
        }, "error"),
      ],
      malformed: `event: ${name}.completed\ndata: {broken\n\n`,
    },
  };
}
