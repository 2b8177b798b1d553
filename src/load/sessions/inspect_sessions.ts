import type { InputFacts } from "../../config/plan/input_facts.ts";
import { detectionNotice } from "../dataset/formats/input_notices.ts";
import { inspectInput } from "../dataset/formats/inspect_input.ts";
import { InputSource } from "../dataset/formats/input_source.ts";
import { detectSessions } from "./detect_sessions.ts";

/**
 * Inspects the beginning of an input file before the run is planned: of recorded agent sessions, or of
 * any other format.
 * @param named format that the user named, if any
 * @returns undefined for standard input and pipes, which can be read only once
 * @throws {DatasetError} if its format cannot be detected
 */
export async function inspectSessions(
  path: string,
  named: string | undefined,
): Promise<InputFacts | undefined> {
  const source = await InputSource.open(path);
  if (source.isStream) return await inspectInput(path, named);
  const agents = await detectSessions(source, named);
  if (agents === undefined) return await inspectInput(path, named);
  const { format, why } = agents;
  return {
    format: format.name,
    isTrace: true,
    hasAgents: true,
    hasTimestamps: false,
    notice: why === undefined ? undefined : detectionNotice(path, format, why),
  };
}
