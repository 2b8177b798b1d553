import type { InputFacts } from "../../../config/plan/input_facts.ts";
import { detectFormat } from "./detect_format.ts";
import { detectionNotice } from "./input_notices.ts";
import { InputSource } from "./input_source.ts";

/**
 * Inspects the beginning of an input file before the run is planned.
 * @param named format that the user named, if any
 * @returns undefined for standard input and pipes, which can be read only once
 * @throws {DatasetError} if its format cannot be detected
 */
export async function inspectInput(
  path: string,
  named: string | undefined,
): Promise<InputFacts | undefined> {
  const source = await InputSource.open(path);
  if (!source.isFile && !source.isFolder) return undefined;
  const { format, why, hasTimestamps } = await detectFormat(source, named);
  return {
    format: format.name,
    isTrace: format.rows !== undefined,
    hasTimestamps,
    notice: why === undefined ? undefined : detectionNotice(path, format, why),
  };
}
