import denoConfig from "../../../deno.json" with { type: "json" };
import build from "./build.json" with { type: "json" };

/** Version of the product. */
export const VERSION: string = denoConfig.version;

/** Name of the product for servers and in files. */
export const USER_AGENT = `inferometer/${VERSION}`;

/** Sources of the program. */
export interface BuildInfo {
  /** Hash of the commit; `source` where the program runs from its sources. */
  readonly commit: string;
  /** Time of that commit as ISO 8601; `source` likewise. */
  readonly date: string;
}

/** `scripts/compile.ts` replaces the file that stands for the sources by the real one. */
export const BUILD: BuildInfo = build;
