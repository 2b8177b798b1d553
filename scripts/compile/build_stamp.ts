import denoConfig from "../../deno.json" with { type: "json" };
import { programOutput } from "../process/program_output.ts";

/** What an executable says of its making. */
export interface BuildStamp {
  readonly version: string;
  readonly commit: string;
  readonly date: string;
}

/**
 * The stamp of the sources in a folder. It depends on the commit alone: the same sources give the
 * same executable, whenever and wherever they are compiled. SOURCE_DATE_EPOCH overrides the date.
 */
export async function buildStamp(folder: string): Promise<BuildStamp> {
  const { version } = denoConfig;
  const epoch = Deno.env.get("SOURCE_DATE_EPOCH");
  const hash = await git(folder, ["rev-parse", "HEAD"]);
  const seconds = epoch ?? await git(folder, ["log", "-1", "--format=%ct"]) ?? "0";
  if (!/^\d+$/.test(seconds)) {
    throw new RangeError(`SOURCE_DATE_EPOCH must be whole seconds: got "${seconds}"`);
  }
  const date = new Date(Number(seconds) * 1000).toISOString().replace(".000Z", "Z");
  if (hash === undefined) return { version, commit: "unknown", date };
  const changes = await git(folder, ["status", "--porcelain", "--", "src", "deno.json"]);
  return { version, commit: changes === "" ? hash : `${hash}-modified`, date };
}

/** What git prints; undefined where there is no repository, or no git. */
async function git(folder: string, args: readonly string[]): Promise<string | undefined> {
  try {
    return (await programOutput("git", ["-C", folder, ...args])).trim();
  } catch {
    return undefined;
  }
}
