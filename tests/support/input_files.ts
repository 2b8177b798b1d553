/** Input files as the tests of their formats read them. */

import { chat } from "../../src/client/endpoint/openai/chat.ts";
import type { FileDatasetPlan, RunPlan, SynthesisPlan } from "../../src/config/plan/run_plan.ts";
import type { Conversation } from "../../src/load/dataset/conversations/conversation.ts";
import { conversationTable } from "../../src/load/dataset/conversations/conversation_table.ts";
import { openInput } from "../../src/load/dataset/formats/open_input.ts";
import type { InputContext } from "../../src/load/dataset/load_dataset.ts";
import { BUILTIN } from "./builtin.ts";

/** The folder with a file of each format. */
export const FIXTURES = new URL("../../fixtures/datasets/", import.meta.url).pathname;

/** A trace as it is. */
export const UNCHANGED: SynthesisPlan = {
  speedup: 1,
  prefixLength: 1,
  prefixRoots: 1,
  promptLength: 1,
  outputLength: 1,
  maxInputTokens: Infinity,
  maxOutputTokens: Infinity,
};

/** What a plan says of bodies. */
export const BODY_PLAN: Pick<RunPlan, "models" | "body"> = {
  models: ["m"],
  body: { streaming: false, legacyMaxTokens: false, extraInputs: {}, perChunkUsage: false },
};

/** What was read, and what was said meanwhile. */
export interface ReadFile {
  readonly conversations: readonly Conversation[];
  readonly warnings: readonly string[];
  readonly notes: readonly string[];
}

/** A file that is sent as it is. */
export function filePlan(path: string, dataset: Partial<FileDatasetPlan> = {}): FileDatasetPlan {
  return {
    source: "file",
    path,
    format: undefined,
    allowedFolders: [],
    outputTokensMean: undefined,
    outputTokensStddev: 0,
    draws: 20,
    blockSize: undefined,
    synthesis: UNCHANGED,
    schedule: undefined,
    ...dataset,
  };
}

/** Reads an input file. */
export async function readFile(
  path: string,
  dataset: Partial<FileDatasetPlan> = {},
  context: Partial<InputContext> = {},
): Promise<ReadFile> {
  const warnings: string[] = [];
  const notes: string[] = [];
  const input = await openInput(filePlan(path, dataset), {
    folder: ".",
    seed: 1,
    type: chat,
    streaming: false,
    tokenizer: BUILTIN,
    interrupt: new AbortController().signal,
    warn: (text) => void warnings.push(text),
    note: (text) => void notes.push(text),
    ...context,
  });
  return { conversations: await Array.fromAsync(input.conversations()), warnings, notes };
}

/** Reads a file that has this text. */
export async function readText(
  text: string | Uint8Array,
  dataset: Partial<FileDatasetPlan> = {},
  context: Partial<InputContext> = {},
): Promise<ReadFile> {
  const path = await Deno.makeTempFile({ suffix: ".jsonl" });
  try {
    await Deno.writeFile(path, typeof text === "string" ? new TextEncoder().encode(text) : text);
    return await readFile(path, dataset, context);
  } finally {
    await Deno.remove(path);
  }
}

/** Lines of JSON. */
export function lines(...rows: readonly unknown[]): string {
  return rows.map((row) => `${JSON.stringify(row)}\n`).join("");
}

/** The texts that conversations ask, turn by turn. */
export function textsOf(conversations: readonly Conversation[]): string[][] {
  return conversations.map(({ turns }) =>
    turns.map(({ request }) =>
      request.kind === "content" ? request.content.texts.join("|") : request.kind
    )
  );
}

/** The table of conversations and the bodies in it. */
export async function tableOf(conversations: readonly Conversation[], context = {}) {
  const { type, tokenizer } = { type: chat, tokenizer: BUILTIN, ...context };
  const payloads = await conversationTable(conversations, BODY_PLAN, type, tokenizer, {
    path: "f",
  });
  const decoder = new TextDecoder();
  const bodies = Array.from(
    payloads.data.inputTokens,
    (_, entry) => JSON.parse(decoder.decode(payloads.wholeBodyOf(entry))),
  );
  return { payloads, bodies };
}
