import { type Delta, isFields, readCommonFields, stringOf } from "../protocol/delta.ts";
import type { EndpointType } from "../protocol/endpoint_type.ts";
import { mediaData } from "../protocol/media_data.ts";
import { formFile, MULTIPART_BODY } from "../protocol/multipart_body.ts";
import { judgeEnding, type ReplyProtocol } from "../protocol/reply_protocol.ts";
import { askedByFields } from "../protocol/reply_writer.ts";
import { RESULTS_API } from "../protocol/result_replies.ts";
import { eventFrame } from "../protocol/scripted_text.ts";

const decoder = new TextDecoder();

/** Events of a stream. */
const EVENT = "transcript.";
const DELTA = `${EVENT}text.delta`;
const DONE = `${EVENT}text.done`;
const WORDS = "the of and to in is that";

/** OpenAI's transcription: a form with a recording in, its words out. */
export const audioTranscription: EndpointType = {
  ...RESULTS_API,
  name: "audio-transcription",
  summary: "OpenAI audio transcription",
  exampleOptions: "--audio-length-mean 10",
  path: "/v1/audio/transcriptions",
  tokenizesInput: false,
  media: ["audio"],
  requiredMedia: "audio",
  body: MULTIPART_BODY,

  buildBody({ audios = [], extra }, { model, streaming, extraInputs }) {
    const data = mediaData(audios[0] ?? "");
    return {
      "file": data && formFile(data, "audio"),
      "model": model,
      ...(streaming ? { "stream": true } : {}),
      ...extraInputs,
      ...extra,
    };
  },

  inputTexts: () => [],
  replies: transcriptReplies(),
  writer: {
    writesReasoning: false,
    asked: (fields) => askedByFields(fields),
    stream: {
      contentType: "text/event-stream",
      frames: ({ promptTokens, results }) => ({
        opening: [],
        content: Array.from(
          { length: results },
          (_, index) => eventFrame({ "type": DELTA, "delta": index === 0 ? WORDS : ` ${WORDS}` }),
        ),
        closing: [eventFrame({
          "type": DONE,
          ...(results === 0
            ? {}
            : { "text": Array.from({ length: results }, () => WORDS).join(" ") }),
          "usage": { "type": "tokens", "input_tokens": promptTokens, "output_tokens": results * 7 },
        })],
      }),
      failure: (message) => [eventFrame({ "error": { "message": message } })],
      malformed: "data: {broken\n\n",
    },
    whole: () => ({
      contentType: "application/json",
      body: JSON.stringify({ "text": WORDS }),
    }),
  },
};

/**
 * Whole transcripts, as JSON or as text, and streams: pieces until an event with all of it, or, as
 * vLLM has them, chunks like those of chat.
 */
function transcriptReplies(): ReplyProtocol {
  let hasBegun = false;
  const readPiece = (piece: unknown, delta: Delta): void => {
    delta.text = stringOf(piece);
    hasBegun ||= delta.text !== "";
  };
  return {
    endMark: "[DONE]",
    eventMeanings: new Map([["error", "error"], ["ping", "ignored"]]),
    forOneReply: transcriptReplies,
    readDelta(json, delta, eventName) {
      readCommonFields(json, delta);
      const type = stringOf(json["type"]) || eventName;
      const { text, choices } = json;
      if (type === DELTA) {
        readPiece(json["delta"], delta);
      } else if (Array.isArray(choices)) {
        const [choice] = choices.filter(isFields);
        if (isFields(choice?.["delta"])) readPiece(choice["delta"]["content"], delta);
        delta.finishReason = stringOf(choice?.["finish_reason"]) || null;
        // No words are a result, too: there was silence.
        if (delta.finishReason !== null && !hasBegun) delta.items = 1;
      } else if (type === DONE || !type.startsWith(EVENT)) {
        if (typeof text === "string" && !hasBegun) {
          delta.text = text;
          delta.items = 1;
        }
        delta.isEnd = type === DONE;
      }
    },
    /** With `response_format` text, srt or vtt. */
    readBytes(body, contentType, delta) {
      if (!contentType.startsWith("text/")) return;
      delta.text = decoder.decode(body);
      delta.items = 1;
    },
    judge(ending) {
      const { isWhole, isComplete, endSeen, finishReason } = ending;
      const isOrderly = isWhole ? isComplete : endSeen || (isComplete && finishReason !== null);
      return judgeEnding(ending, isOrderly, isWhole ? "its end" : DONE);
    },
  };
}
