import { textConstraintOf } from "../client/endpoint/constraint/text_constraint.ts";
import type { BodyFields } from "../client/endpoint/protocol/body_format.ts";
import { type EndpointType, outputLimitOf } from "../client/endpoint/protocol/endpoint_type.ts";
import type { ReplyPiece, ScriptedReply } from "../client/endpoint/protocol/reply_writer.ts";
import { replyParts, textOf, tokensOf } from "../client/endpoint/protocol/scripted_text.ts";
import type { TokenCoder } from "../load/dataset/tokenizers/tokenizer.ts";
import { answerPieces } from "./answer_pieces.ts";
import type { EndpointRoute } from "./endpoint_routes.ts";
import { MAX_OUTPUT_TOKENS, type MockOptions } from "./mock_options.ts";
import type { PrefixCache } from "./prefix_cache.ts";
import { type CalledPieces, callPieces, mockCalls } from "./tool_calls.ts";
import { promptTexts } from "./prompt_texts.ts";
import { randomStream } from "../core/statistics/random_stream.ts";
import { type DraftedSteps, draftSteps } from "./draft_steps.ts";
import { structuredText } from "./structured_text.ts";
import { taskAnswer } from "./task_answer.ts";
import { replyPieces } from "./reply_pieces.ts";

/** The reason why a body cannot be answered; undefined if it can. */
export function problemOf(type: EndpointType, fields: BodyFields): string | undefined {
  for (const [name, given] of type.outputLimits(fields)) {
    const value = given ?? 1;
    const isCount = typeof value === "number" && Number.isInteger(value) && value >= 1;
    if (!isCount || value > MAX_OUTPUT_TOKENS) {
      return `${name} must be a whole number from 1 to ${MAX_OUTPUT_TOKENS}, got ${
        JSON.stringify(value)
      }`;
    }
  }
  const choices = type.askedChoices?.(fields) ?? 1;
  return choices > MAX_CHOICES
    ? `At most ${MAX_CHOICES} choices are given, got ${choices}`
    : undefined;
}

/** Most answers to a request. */
const MAX_CHOICES = 128;

/** A request as the server understands it, and its reply. */
export interface ReplyScript {
  readonly reply: ScriptedReply;
  readonly streaming: boolean;
  /** Texts of the prompt. */
  readonly texts: readonly string[];
  /** Whether the answer has the form that the request requires. */
  readonly hasForm: boolean;
  /** Digest of the texts in their order; undefined where prefixes are not remembered. */
  readonly inputDigest: string | undefined;
}

/** Returns the server's reply to the request with the number `number`. */
export function scriptReply(
  { type, isStreamingPath }: EndpointRoute,
  fields: BodyFields,
  number: number,
  options: MockOptions,
  tokenizer: TokenCoder,
  cache: PrefixCache | undefined,
): ReplyScript {
  const { model, tokens, reasoningTokens, tokensPerChunk } = options;
  const asked = type.writer.asked(fields, isStreamingPath);
  const limit = outputLimitOf(type, fields);
  const texts = promptTexts(fields) ?? type.inputTexts(fields);
  const outputTokens = type.producesTokens ? limit ?? tokens : 0;
  const choices = type.writer.writesChoices ? type.askedChoices?.(fields) ?? 1 : 1;
  const id = number.toString(16).padStart(16, "0");
  const { writesCalls, writesReasoning } = type.writer;
  const calls = writesCalls === undefined || choices > 1 ? [] : mockCalls(fields, number, options);
  const called = callPieces(calls, {
    id,
    tokenizer,
    tokensPerChunk,
    isWhole: writesCalls === "whole",
    maxTokens: limit ?? Infinity,
  });
  const form = type.producesTokens ? textConstraintOf(fields) : undefined;
  const given = called.pieces.length > 0 || !type.producesTokens
    ? undefined
    : form === undefined
    ? taskAnswer(texts.at(-1) ?? "")
    : structuredText(form, randomStream(options.seed, "mock.structured", number));
  const solved = given === undefined ? undefined : answerPieces(given, {
    ...{ tokenizer, tokensPerChunk, choices },
    maxTokens: (limit ?? Infinity) - (writesReasoning ? reasoningTokens : 0),
  });
  const drafted = choices > 1 || called.pieces.length > 0 || solved !== undefined
    ? undefined
    : draftedReply(outputTokens, number, options);
  const pieces = [
    ...replyPieces({
      // Before a given answer, and before calls where words would break the form, is only reasoning.
      outputTokens: solved === undefined && (form === undefined || called.pieces.length === 0)
        ? Math.max(0, outputTokens - tokensOf(called.pieces))
        : Math.min(writesReasoning ? reasoningTokens : 0, outputTokens),
      steps: drafted?.steps,
      reasoningTokens: writesReasoning ? reasoningTokens : 0,
      tokensPerChunk,
      choices,
    }),
    ...solved?.pieces ?? [],
    ...called.pieces,
  ];
  const match = cache?.take(texts, writtenTexts(pieces));
  const promptTokens = tokenizer.count(texts.join(" "));
  const reply = {
    id,
    createdSeconds: Math.floor(Date.now() / 1000),
    model: asked.model ?? model,
    promptTokens,
    ...(match === undefined ? {} : {
      cachedTokens: cache?.blocks === undefined
        // As in servers, the last token is always computed.
        ? Math.min(
          tokenizer.count(texts.slice(0, match.cachedTexts).join(" ")),
          Math.max(0, promptTokens - 1),
        )
        : cache.blocks.take(
          asked.model ?? model,
          tokenizer.encode(texts.join(" ")),
          // As the next prompt has it behind this one.
          tokenizer.encode(` ${writtenTexts(pieces).join(" ")}`),
        ),
    }),
    ...(drafted === undefined ? {} : { drafts: drafted.counts }),
    pieces,
    finishReason: solved === undefined
      ? finishReason(called, limit)
      : solved.isCut
      ? "length" as const
      : "stop" as const,
    includeUsage: asked.includeUsage,
    usageInChunks: asked.usageInChunks,
    results: asked.results ?? 1,
  };
  const hasForm = form !== undefined && solved !== undefined;
  return { reply, streaming: asked.streaming, texts, hasForm, inputDigest: match?.digest };
}

/** Texts that the next prompt of a conversation has of a reply: answer, names and arguments. */
function writtenTexts(pieces: readonly ReplyPiece[]): string[] {
  const { answer, calls } = replyParts(pieces.filter(({ choice = 0 }) => choice === 0));
  return [textOf(answer), ...calls.flatMap(({ name, argumentsText }) => [name, argumentsText])];
}

function finishReason(
  { pieces, isCut }: CalledPieces,
  limit: number | undefined,
): ScriptedReply["finishReason"] {
  if (pieces.length > 0 && !isCut) return "tool_calls";
  return limit === undefined ? "stop" : "length";
}

/** Steps of the reply with a number; undefined without drafts. */
function draftedReply(
  outputTokens: number,
  number: number,
  { draftAcceptance, draftTokens, reasoningTokens, seed }: MockOptions,
): DraftedSteps | undefined {
  // Reasoning begins and ends with a chunk, which a step need not.
  if (draftTokens === 0 || outputTokens === 0 || reasoningTokens > 0) return undefined;
  const random = randomStream(seed, "mock.drafts", number);
  return draftSteps(outputTokens, { draftTokens, acceptance: draftAcceptance }, random);
}
