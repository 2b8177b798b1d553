import { readCommonFields } from "./delta.ts";
import type { EndpointType } from "./endpoint_type.ts";
import { mediaData } from "./media_data.ts";
import { formFile, MULTIPART_BODY } from "./multipart_body.ts";
import { judgeEnding } from "./reply_protocol.ts";
import { askedByFields } from "./reply_writer.ts";
import { RESULTS_API } from "./result_replies.ts";

const decoder = new TextDecoder();

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

  buildBody({ audios = [], extra }, { model, extraInputs }) {
    const data = mediaData(audios[0] ?? "");
    return {
      "file": data && formFile(data, "audio"),
      "model": model,
      ...extraInputs,
      ...extra,
    };
  },

  inputTexts: () => [],
  replies: {
    eventMeanings: new Map(),
    readDelta(json, delta) {
      readCommonFields(json, delta);
      if (typeof json["text"] !== "string") return;
      delta.text = json["text"];
      // No words are a result, too: there was silence.
      delta.items = 1;
    },
    /** With `response_format` text, srt or vtt. */
    readBytes(body, contentType, delta) {
      if (!contentType.startsWith("text/")) return;
      delta.text = decoder.decode(body);
      delta.items = 1;
    },
    judge: (ending) => judgeEnding(ending, ending.isWhole && ending.isComplete, "its end"),
  },
  writer: {
    writesReasoning: false,
    asked: (fields) => askedByFields(fields),
    whole: () => ({
      contentType: "application/json",
      body: JSON.stringify({ "text": "the of and to in is that" }),
    }),
  },
};
