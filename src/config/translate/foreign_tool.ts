import type { ForeignLine } from "./foreign_line.ts";
import type { ForeignOptions } from "./foreign_option.ts";
import type { OurLine } from "./our_line.ts";

/** A load tool whose command lines can be translated. */
export interface ForeignTool extends ForeignOptions {
  /** The words that begin its command lines, any of them. */
  readonly words: readonly (readonly string[])[];
  /** Translates combinations of options, and the tool's defaults for missing ones. */
  together(theirs: ForeignLine, ours: OurLine): void;
}
