import { type SampledSession, sessionKey } from "../../measurement/compare/sampled_session.ts";
import { RunFolderError } from "./run_part.ts";

/** Values of a line of `sessions.jsonl` that comparisons use. */
interface SessionLine {
  readonly "source_id"?: string | null;
  readonly pass?: number | null;
  readonly "start_ratio"?: number | null;
  readonly status?: string;
  readonly duration?: number;
  readonly tokens?: { readonly input?: number | null; readonly "cached_server"?: number | null };
}

/**
 * Completed sessions of a run of which only the files for users exist; undefined if it has none.
 * @param path of its file of sessions
 * @throws {RunFolderError} if the file is damaged
 */
export async function exportedSessions(path: string): Promise<SampledSession[] | undefined> {
  const text = await Deno.readTextFile(path).catch(() => undefined);
  if (text === undefined) return undefined;
  try {
    return text.trim().split("\n").map((line) => JSON.parse(line) as SessionLine)
      .filter(({ status }) => status === "completed").map(sampled);
  } catch {
    throw new RunFolderError(`${path}: has a line that is no JSON`, { isDamage: true });
  }
}

function sampled(line: SessionLine): SampledSession {
  const { input, cached_server: cached } = line.tokens ?? {};
  return {
    key: sessionKey(line.source_id, line.pass, line.start_ratio),
    durationSeconds: (line.duration ?? NaN) / 1e3,
    hitPct: (cached ?? NaN) / (input ?? NaN) * 100,
  };
}
