/** Tokens of a run's requests counted again, by its raw export: only that has the texts. */

import { endpointType } from "../../client/endpoint/endpoint_types.ts";
import type { EndpointType } from "../../client/endpoint/protocol/endpoint_type.ts";
import {
  type ChoiceVerdict,
  readReplyOf,
  type RecordedReply,
} from "../../client/endpoint/read_reply.ts";
import type { RecordBatch } from "../../client/record/record_batch.ts";
import {
  INPUT_PART_FIELDS,
  RECORD_FIELD,
  type RecordField,
} from "../../client/record/request_fields.ts";
import { InputCounter } from "../../load/dataset/conversations/input_counter.ts";
import type { Tokenizer } from "../../load/dataset/tokenizers/tokenizer.ts";
import { RECORD_METRICS } from "../../measurement/metrics/record_metrics.ts";
import { bringsSeveralTokens } from "../../measurement/metrics/tokens_after_first_chunk.ts";
import { linesOf } from "./exported_files.ts";
import { RunFolderError } from "./run_folder.ts";

/** What is counted of a request; NaN for "not known". */
interface Counts {
  readonly inputTokens: number;
  /** By part of the body; undefined if they are not counted so. */
  readonly inputParts: readonly number[] | undefined;
  readonly outputTokens: number;
  readonly thoughtTokens: number;
  /** The first texts of the reply, of which the first chunk brought some bytes. */
  readonly answer: Uint8Array;
  readonly reasoning: Uint8Array;
  readonly hasOthers: boolean;
}

/** The fields of a raw record that are read. */
interface RawLine {
  readonly metadata?: { readonly "x_request_id"?: string };
  readonly status?: number;
  readonly responses?: readonly RawResponse[];
  readonly payload?: unknown;
}

interface RawResponse {
  readonly text?: string;
  readonly "content_type"?: string;
  readonly packets?: readonly { readonly name: string; readonly value: string }[];
}

/** Metrics of a request that another tokenizer changes. */
export const TOKEN_TAGS: readonly string[] = RECORD_METRICS.filter(({ tag, unit }) =>
  /token/.test(unit) || /token|sequence_length|osl/.test(tag)
).map(({ tag }) => tag).filter((tag) => !/time_to_first|^usage(?!.*diff)/.test(tag));

const encoder = new TextEncoder();

/**
 * Reads the raw export and counts.
 * @returns what puts the counts into the records of a batch
 * @throws {RunFolderError} if the file has no requests
 */
export async function recountedTokens(
  path: string,
  typeName: string,
  tokenizer: Tokenizer,
): Promise<(batch: RecordBatch) => void> {
  const type = endpointType(typeName);
  const input = new InputCounter(type, tokenizer, undefined);
  const counts = new Map<string, Counts>();
  for await (const line of linesOf(path)) {
    if (line === "") continue;
    const raw = JSON.parse(line) as RawLine;
    const id = raw.metadata?.["x_request_id"];
    if (id !== undefined) counts.set(id, countsOf(raw, type, input, tokenizer));
  }
  if (counts.size === 0) throw new RunFolderError(`${path} has no requests`);
  return (batch) => {
    const value = (field: RecordField, at: number): number =>
      batch.columns[RECORD_FIELD[field]]?.[at] as number;
    const put = (field: RecordField, of: (found: Counts, at: number) => number): void => {
      batch.overwrite(RECORD_FIELD[field], (at, before) => {
        const found = counts.get(batch.requestId(at));
        return found === undefined ? before : of(found, at);
      });
    };
    const isValid = (at: number): boolean => value("errorKind", at) < 0;
    put("inputTokens", ({ inputTokens }) => inputTokens);
    INPUT_PART_FIELDS.forEach((field, part) =>
      put(field, ({ inputParts }) => inputParts?.[part] ?? NaN)
    );
    put("outputTokens", ({ outputTokens }, at) => isValid(at) ? outputTokens : NaN);
    put("thoughtTokens", ({ thoughtTokens }, at) => isValid(at) ? thoughtTokens : NaN);
    put("firstTokens", (found, at) => {
      const tokens = (value("outputTokens", at) || 0) + (value("thoughtTokens", at) || 0);
      const [chunks, bytes] = [value("chunkCount", at), value("firstChunkBytes", at)];
      if (found.hasOthers || chunks < 2 || !bringsSeveralTokens(tokens, chunks)) return NaN;
      const text = value("firstOutputChunk", at) === 0 ? found.answer : found.reasoning;
      return bytes > text.length || bytes === 0
        ? NaN
        : tokenizer.count(new TextDecoder().decode(text.subarray(0, bytes)));
    });
  };
}

function countsOf(
  { status = 200, responses = [], payload }: RawLine,
  type: EndpointType,
  input: InputCounter,
  tokenizer: Tokenizer,
): Counts {
  const fields = typeof payload === "object" && payload !== null
    ? payload as Readonly<Record<string, unknown>>
    : undefined;
  const reply: RecordedReply = {
    status,
    headers: [[
      "content-type",
      responses.some(({ packets }) => packets !== undefined)
        ? "text/event-stream"
        : responses[0]?.["content_type"] ?? "application/json",
    ]],
    body: responses.map(bytesOf),
    complete: true,
    choices: fields === undefined ? 1 : type.askedChoices?.(fields) ?? 1,
  };
  const verdict = readReplyOf(type, reply);
  const choices: Pick<ChoiceVerdict, "text" | "reasoning" | "toolText">[] = [
    verdict,
    ...verdict.otherChoices ?? [],
  ];
  const count = (text: string): number => text === "" ? 0 : tokenizer.count(text);
  const sum = (of: (choice: typeof choices[number]) => number): number =>
    choices.reduce((total, choice) => total + of(choice), 0);
  const counted = fields === undefined || !type.tokenizesInput
    ? undefined
    : input.count(fields, false);
  return {
    inputTokens: counted?.tokens ?? NaN,
    inputParts: counted?.parts,
    outputTokens: sum(({ text, toolText }) => count(text) + count(toolText)),
    thoughtTokens: choices.some(({ reasoning }) => reasoning !== "")
      ? sum(({ reasoning }) => count(reasoning))
      : NaN,
    answer: encoder.encode(verdict.text === "" ? verdict.toolText : verdict.text),
    reasoning: encoder.encode(verdict.reasoning),
    hasOthers: choices.length > 1,
  };
}

/** An event as it came, or the whole body of a reply that is no stream. */
function bytesOf({ text = "", packets }: RawResponse): Uint8Array {
  if (packets === undefined) return encoder.encode(text);
  const lines = packets.flatMap(({ name, value }) =>
    name === "comment" ? [`: ${value}`] : value.split("\n").map((line) => `${name}: ${line}`)
  );
  return encoder.encode(`${lines.join("\n")}\n\n`);
}
