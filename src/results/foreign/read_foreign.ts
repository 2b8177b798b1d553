/** Results of other tools: which tool wrote a file, and what it says. */

import { parse } from "npm:yaml@2.9.1";
import { UsageError } from "../../config/options/usage_error.ts";
import { type ForeignResult, type JsonObject, objectIn } from "./foreign_result.ts";
import { isGuidellmResult, readGuidellm } from "./read_guidellm.ts";
import { isSglangResult, readSglang } from "./read_sglang.ts";
import { isVllmResult, readVllm } from "./read_vllm.ts";

/** Tools whose result is one file. */
export type ForeignSource = "vllm" | "sglang" | "guidellm";

/** What a file holds. */
export interface ForeignFile {
  readonly source: ForeignSource;
  readonly results: readonly ForeignResult[];
}

const SOURCES: readonly (readonly [ForeignSource, (value: JsonObject) => boolean])[] = [
  ["guidellm", isGuidellmResult],
  // Both have durations and counts; SGLang's own keys tell it from vLLM's.
  ["sglang", isSglangResult],
  ["vllm", isVllmResult],
];

/**
 * Reads a result file.
 * @param from the tool that wrote it; found out where it is missing
 * @param writtenMs when it was written: some do not say when the run was
 * @throws {UsageError} if it is of no such tool
 */
export function readForeign(
  text: string,
  path: string,
  from: ForeignSource | undefined,
  writtenMs: number,
): ForeignFile {
  const values = valuesIn(text, path);
  const found = SOURCES.find(([source, fits]) =>
    (from === undefined || source === from) && values.every(fits)
  );
  if (values.length === 0 || found === undefined) {
    throw new UsageError(
      path,
      from === undefined
        ? "Not a result of vllm bench serve, sglang.bench_serving or GuideLLM: expected their JSON"
        : `Not a result of ${from}`,
    );
  }
  const [source] = found;
  const results = values.flatMap((value) =>
    source === "guidellm"
      ? readGuidellm(value)
      : [source === "vllm" ? readVllm(value, writtenMs) : readSglang(value, writtenMs)]
  );
  return { source, results };
}

/** One object, or one on each line; GuideLLM writes YAML too. */
function valuesIn(text: string, path: string): JsonObject[] {
  if (/\.ya?ml$/i.test(path)) {
    try {
      return [objectIn(parse(text))];
    } catch (error) {
      const [line] = (error as Error).message.split("\n");
      throw new UsageError(path, `Not YAML: ${line}`);
    }
  }
  // Python writes what JSON does not have.
  const plain = (json: string): string =>
    json.replace(/(?<=[:,[]\s*)(NaN|-?Infinity)(?=\s*[,\]}])/g, "null");
  try {
    return [objectIn(JSON.parse(plain(text)))];
  } catch {
    // Lines.
  }
  return text.split("\n").flatMap((line, at) => {
    if (line.trim() === "") return [];
    try {
      return [objectIn(JSON.parse(plain(line)))];
    } catch (error) {
      throw new UsageError(`${path}:${at + 1}`, `Not JSON: ${(error as Error).message}`);
    }
  });
}
