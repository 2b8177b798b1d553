import denoConfig from "../../deno.json" with { type: "json" };
import build from "./build.json" with { type: "json" };

/** Version of the product. */
export const VERSION: string = denoConfig.version;

/** How the product names itself to servers and in files. */
export const USER_AGENT = `inferometer/${VERSION}`;

/** What the program was made of. */
export interface BuildInfo {
  /** Hash of the commit; `source` where the program runs from its sources. */
  readonly commit: string;
  /** When that commit was made, as ISO 8601; `source` likewise. */
  readonly date: string;
}

/** `scripts/compile.ts` puts the truth in the place of the file that stands for the sources. */
export const BUILD: BuildInfo = build;
