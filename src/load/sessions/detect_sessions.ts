import { DatasetError } from "../../core/files/dataset_error.ts";
import { type InputSample, inputSample } from "../dataset/formats/input_sample.ts";
import type { InputSource } from "../dataset/formats/input_source.ts";
import { AGENT_FORMATS } from "./formats/session_formats.ts";
import type { FirstRecord, SessionFormat } from "./model/session_format.ts";

/** Format of recorded agent sessions that was detected for a file. */
export interface DetectedSessions {
  readonly format: SessionFormat;
  /** Evidence in the file for the format; undefined if the user named it. */
  readonly why: string | undefined;
}

/**
 * Detects whether a file has recorded agent sessions, and in which format: by its first record.
 * @param named format that the user named, if any
 * @returns undefined for a file of another format
 * @throws {DatasetError} if the file cannot be read
 */
export async function detectSessions(
  source: InputSource,
  named: string | undefined,
): Promise<DetectedSessions | undefined> {
  if (named !== undefined) {
    const format = AGENT_FORMATS.get(named.toLowerCase().replaceAll("_", "-"));
    return format === undefined ? undefined : { format, why: undefined };
  }
  const sample = await inputSample(source).catch((error: unknown) => {
    // Other formats say what is wrong with it.
    if (error instanceof DatasetError) return undefined;
    throw error;
  });
  const record = sample === undefined ? undefined : firstRecord(sample);
  if (record === undefined) return undefined;
  for (const format of AGENT_FORMATS.values()) {
    const why = format.recognise(record);
    if (why !== undefined) return { format, why: `its first record has ${why}` };
  }
  return undefined;
}

function firstRecord(
  { layout, record = {}, names = Object.keys(record), fields }: InputSample,
): FirstRecord | undefined {
  if (layout === "text") return undefined;
  return { names: new Set([...names, ...fields]), values: record };
}
