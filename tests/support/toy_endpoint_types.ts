/** Endpoint types of no server, each as unlike OpenAI's in its own way as a real one may be. */

import { type BodyFormat, JSON_BODY } from "../../src/client/endpoint/protocol/body_format.ts";
import { errorOf, isFields, stringOf } from "../../src/client/endpoint/protocol/delta.ts";
import type { EndpointType } from "../../src/client/endpoint/protocol/endpoint_type.ts";
import {
  judgeEnding,
  type ReplyProtocol,
} from "../../src/client/endpoint/protocol/reply_protocol.ts";
import type { ScriptedReply } from "../../src/client/endpoint/protocol/reply_writer.ts";

const encoder = new TextEncoder();
const decoder = new TextDecoder();

const textOf = ({ pieces }: ScriptedReply) => pieces.map(({ text }) => text).join("");
const tokensOf = ({ pieces }: ScriptedReply) => pieces.reduce((sum, { tokens }) => sum + tokens, 0);
const line = (value: unknown) => `${JSON.stringify(value)}\n`;
const event = (data: unknown, name = "") =>
  `${name === "" ? "" : `event: ${name}\n`}data: ${JSON.stringify(data)}\n\n`;
const isAsked = (fields: Readonly<Record<string, unknown>>, streaming: boolean) => ({
  model: undefined,
  streaming,
  includeUsage: true,
  usageInChunks: false,
  ...fields["stream"] === true ? { streaming: true } : {},
});

/** Bodies of a name and a value on each line. */
const NAMED_LINES: BodyFormat = {
  contentType: "text/x-named-lines; version=1",
  isJson: false,
  description: "names with values",
  encode: (fields) =>
    encoder.encode(
      Object.entries(fields).map(([name, value]) => `${name}=${value}\n`).join(""),
    ),
  decode(bytes) {
    const lines = decoder.decode(bytes).split("\n").slice(0, -1);
    if (lines.some((line) => !line.includes("="))) return undefined;
    return Object.fromEntries(lines.map((line) => {
      const at = line.indexOf("=");
      return [line.slice(0, at), line.slice(at + 1)];
    }));
  },
};

/** JSON lines until one says that it is over; bodies are no JSON; streams have a path of their own. */
export const jsonLinesToy: EndpointType = {
  name: "json-lines-toy",
  summary: "JSON lines",
  method: "POST",
  path: "/toy/lines",
  streamingPath: "/toy/lines/stream",
  producesTokens: true,
  tokenizesInput: true,
  usesChatTemplate: false,
  media: [],
  body: NAMED_LINES,
  buildBody: ({ texts, outputTokens }, { model }) => ({
    "ask": texts.join(" "),
    "model": model,
    ...outputTokens === undefined ? {} : { "most": outputTokens },
  }),
  inputTexts: ({ ask }) => [stringOf(ask)],
  countImages: () => 0,
  outputLimits: ({ most }) => [["most", most === undefined ? undefined : Number(most)]],
  replies: {
    eventMeanings: new Map(),
    readDelta(json, delta) {
      delta.error = errorOf(json);
      delta.text = stringOf(json["piece"]);
      delta.isEnd = json["over"] === true;
      if (typeof json["out"] === "number") {
        delta.usage = {
          promptTokens: Number(json["in"]),
          cachedTokens: undefined,
          completionTokens: json["out"],
          totalTokens: undefined,
          reasoningTokens: undefined,
          refused: 0,
        };
      }
    },
    judge: (ending) =>
      judgeEnding(ending, ending.endSeen && ending.isComplete, "a line that ends it"),
  },
  writer: {
    writesReasoning: false,
    asked: isAsked,
    stream: {
      contentType: "application/x-ndjson",
      frames: (reply) => ({
        opening: [],
        content: reply.pieces.map(({ text }) => line({ "piece": text })),
        closing: [line({ "over": true, "in": reply.promptTokens, "out": tokensOf(reply) })],
      }),
      failure: (message) => [line({ "error": message })],
      malformed: "{broken\n",
    },
    whole: (reply) => ({
      contentType: "application/json",
      body: JSON.stringify({
        "piece": textOf(reply),
        "over": true,
        "in": reply.promptTokens,
        "out": tokensOf(reply),
      }),
    }),
  },
};

/** Events whose names say what they are, the end without data; a whole reply is plain text in two pages. */
export const namedEventsToy: EndpointType = {
  name: "named-events-toy",
  summary: "Events with names",
  method: "POST",
  path: "/toy/events",
  producesTokens: true,
  tokenizesInput: true,
  usesChatTemplate: false,
  media: [],
  body: JSON_BODY,
  buildBody: ({ texts, outputTokens }, { streaming }) => ({
    "stream": streaming,
    "ask": { "text": texts[0] },
    ...outputTokens === undefined ? {} : { "limits": { "most": outputTokens } },
  }),
  inputTexts: ({ ask }) => [isFields(ask) ? stringOf(ask["text"]) : ""],
  countImages: () => 0,
  outputLimits: ({ limits }) => [["limits.most", isFields(limits) ? limits["most"] : undefined]],
  replies: {
    eventMeanings: new Map([["finished", "end"], ["trouble", "error"], ["hint", "ignored"]]),
    readDelta(json, delta, eventName) {
      delta.error = errorOf(json);
      if (eventName === "thought") delta.reasoning = stringOf(json["t"]);
      else if (eventName === "piece") delta.text = stringOf(json["t"]);
    },
    readBytes(body, contentType, delta) {
      if (!contentType.startsWith("text/plain")) return;
      const [thoughts, answer] = decoder.decode(body).split("\f");
      delta.reasoning = thoughts ?? "";
      delta.text = answer ?? "";
    },
    judge: (ending) =>
      judgeEnding(ending, ending.endSeen || (ending.isWhole && ending.isComplete), "finished"),
  },
  writer: {
    writesReasoning: true,
    asked: isAsked,
    stream: {
      contentType: "text/event-stream",
      frames: ({ pieces }) => ({
        opening: ["event: hint\ndata: no JSON\n\n", ": a comment\n\n"],
        content: pieces.map(({ text, isReasoning }) =>
          event({ "t": text }, isReasoning ? "thought" : "piece")
        ),
        closing: ["event: finished\n\n"],
      }),
      failure: (message) => [`event: trouble\ndata: ${message}\n\n`, "event: finished\n\n"],
      malformed: "event: piece\ndata: {broken\n\n",
    },
    whole: ({ pieces }) => ({
      contentType: "text/plain; charset=utf-8",
      body: [true, false].map((thoughts) =>
        pieces.filter(({ isReasoning }) => isReasoning === thoughts).map(({ text }) => text).join(
          "",
        )
      ).join("\f"),
    }),
  },
};

/** Each event has all of the text so far, as some servers send it. */
export const growingTextToy: EndpointType = {
  ...namedEventsToy,
  name: "growing-text-toy",
  path: "/toy/growing",
  replies: growingText(),
  writer: {
    writesReasoning: false,
    asked: isAsked,
    stream: {
      contentType: "text/event-stream",
      frames({ pieces }) {
        let soFar = "";
        return {
          opening: [],
          content: pieces.map(({ text }) => event({ "so_far": soFar += text })),
          closing: ["data: FIN\n\n"],
        };
      },
      failure: (message) => [event({ "error": message }), "data: FIN\n\n"],
      malformed: "data: [DONE]\n\n",
    },
    whole: (reply) => ({
      contentType: "application/json",
      body: JSON.stringify({ "so_far": textOf(reply) }),
    }),
  },
};

function growingText(): ReplyProtocol {
  let read = 0;
  return {
    endMark: "FIN",
    eventMeanings: new Map(),
    forOneReply: growingText,
    readDelta(json, delta) {
      const text = stringOf(json["so_far"]);
      delta.error = errorOf(json);
      delta.text = text.slice(read);
      read = Math.max(read, text.length);
    },
    judge: (ending) =>
      judgeEnding(ending, ending.endSeen || (ending.isWhole && ending.isComplete), "FIN"),
  };
}

/** Ranks, not text: a JSON list, and no streams. */
export const ranksToy: EndpointType = {
  ...namedEventsToy,
  name: "ranks-toy",
  path: "/toy/ranks",
  producesTokens: false,
  replies: {
    eventMeanings: new Map(),
    readDelta(json, delta) {
      delta.error = errorOf(json);
    },
    readList(items, delta) {
      delta.items = items.filter((item) => isFields(item) && typeof item["score"] === "number")
        .length;
    },
    judge: (ending) => judgeEnding(ending, ending.isWhole && ending.isComplete, "a list"),
  },
  writer: {
    writesReasoning: false,
    asked: isAsked,
    whole: () => ({
      contentType: "application/json",
      body: JSON.stringify([{ "index": 1, "score": 0.9 }, { "index": 0, "score": 0.1 }]),
    }),
  },
};
