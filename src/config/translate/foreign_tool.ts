import type { ForeignLine } from "./foreign_line.ts";
import type { ForeignOptions } from "./foreign_option.ts";
import type { OurLine } from "./our_line.ts";

/** A load tool whose command lines can be translated. */
export interface ForeignTool extends ForeignOptions {
  /** The words that begin its command lines, any of them. */
  readonly words: readonly (readonly string[])[];
  /** What several options make together; and what the tool does where they are not given. */
  together(theirs: ForeignLine, ours: OurLine): void;
}
