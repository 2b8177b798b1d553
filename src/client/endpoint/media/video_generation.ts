import { JSON_BODY } from "../protocol/body_format.ts";
import { readCommonFields, stringOf } from "../protocol/delta.ts";
import type { EndpointSettings, EndpointType } from "../protocol/endpoint_type.ts";
import { MULTIPART_BODY } from "../protocol/multipart_body.ts";
import { judgeEnding, type NextRequest, type ReplyProtocol } from "../protocol/reply_protocol.ts";
import { askedByFields, type ReplyWriter, type ScriptedReply } from "../protocol/reply_writer.ts";
import { RESULTS_API } from "../protocol/result_replies.ts";

/** Polling interval of jobs in milliseconds, as in AIPerf. */
const POLL_MS = 100;
/** Whether the video is fetched as well. */
const DOWNLOAD = "download_video_content";
/** How the job is submitted: as a form, or as JSON, which SGLang and others take as well. */
const CONTENT_TYPE = "request_content_type";
/** Longest name of a job. */
const MAX_ID_LENGTH = 500;

/** OpenAI's and SGLang's video generation: a job that is submitted, and looked at until it is done. */
export const videoGeneration: EndpointType = {
  ...RESULTS_API,
  name: "video-generation",
  summary: "OpenAI video generation",
  exampleOptions: "--extra-inputs size:1280x720 --extra-inputs seconds:4",
  path: "/v1/videos",
  body: MULTIPART_BODY,
  setup: { names: [DOWNLOAD, CONTENT_TYPE], fileNames: [], configured },

  buildBody: ({ texts, extra }, { model, extraInputs }) => ({
    "prompt": texts.join(" "),
    "model": model,
    ...extraInputs,
    ...extra,
  }),

  inputTexts: ({ prompt }) => typeof prompt === "string" ? [prompt] : [],
  replies: jobReplies(false),
  writer: jobWriter(),
};

function configured(settings: EndpointSettings): EndpointType {
  const body = settings[CONTENT_TYPE] === "application-json" ? JSON_BODY : MULTIPART_BODY;
  const type = { ...videoGeneration, body };
  if (settings[DOWNLOAD] !== "true") return type;
  const { writer } = type;
  // What ends a request then is the video.
  const whole = (reply: ScriptedReply) => writer.job?.content(reply) ?? writer.whole(reply);
  return { ...type, replies: jobReplies(true), writer: { ...writer, whole } };
}

/**
 * A job says its status: it is over when that is `completed` or `failed`.
 * @param downloads whether the video itself is asked for then
 */
function jobReplies(downloads: boolean): ReplyProtocol {
  let next: NextRequest | undefined;
  return {
    eventMeanings: new Map(),
    forOneReply: () => jobReplies(downloads),
    readDelta(json, delta) {
      readCommonFields(json, delta);
      const status = stringOf(json["status"]);
      const id = stringOf(json["id"]);
      if (delta.error !== null) return;
      if (status === "failed" || status === "cancelled" || status === "expired") {
        delta.error = `Server ended the job with status ${status}`;
      } else if (id === "" || id.length > MAX_ID_LENGTH || status === "") {
        delta.error = "Reply is no job: it has no id and status";
      } else if (status !== "completed") {
        next = { subpath: `/${encodeURIComponent(id)}`, afterMs: POLL_MS };
      } else if (downloads) {
        next = { subpath: `/${encodeURIComponent(id)}/content`, afterMs: 0 };
      } else {
        delta.items = 1;
        delta.finishReason = status;
      }
    },
    readBytes(body, contentType, delta) {
      if (body.length > 0 && /^(video\/|application\/octet-stream)/.test(contentType)) {
        delta.items = 1;
      }
    },
    judge: (ending) =>
      judgeEnding(
        { ...ending, chunkCount: next === undefined ? ending.chunkCount : 1 },
        ending.isWhole && ending.isComplete,
        "its end",
      ),
    next: () => next,
  };
}

function jobWriter(): ReplyWriter {
  const job = (reply: ScriptedReply, fields: Record<string, unknown>) => ({
    contentType: "application/json",
    body: JSON.stringify({
      "id": `video_${reply.id}`,
      "object": "video",
      "created_at": reply.createdSeconds,
      "model": reply.model,
      ...fields,
    }),
  });
  return {
    writesReasoning: false,
    asked: (fields) => askedByFields(fields),
    whole: (reply) => job(reply, { "status": "completed", "progress": 100 }),
    job: {
      subpath: (reply) => `/video_${reply.id}`,
      pending: (reply, isQueued) =>
        job(reply, { "status": isQueued ? "queued" : "in_progress", "progress": 0 }),
      failed: (reply, message) =>
        job(reply, {
          "status": "failed",
          "error": { "code": "video_generation_failed", "message": message },
        }),
      content: () => ({ contentType: "video/mp4", body: new Uint8Array(64).fill(7) }),
    },
  };
}
