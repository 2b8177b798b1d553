/** The options of `inferometer config` besides those of `inferometer profile`. */

import { COUNT } from "../number_rows.ts";
import type { OptionTable } from "../option.ts";

const FILES = "Configuration files";

/** The options of `inferometer config`, in the order in which help shows them. */
export const CONFIG_OPTIONS = {
  template: {
    kind: "text",
    group: FILES,
    common: true,
    brief: "Template for init; may precede the file name",
    help: "Template for config init; may also precede the file name",
    short: "t",
    value: "name",
    inFile: false,
    example: "--template multi_turn_conversation",
  },
  list: {
    kind: "flag",
    group: FILES,
    common: true,
    brief: "List the templates of init",
    help: "List the templates of config init",
    short: "l",
    inFile: false,
  },
  output: {
    kind: "text",
    group: FILES,
    common: true,
    brief: "File to write with init [default: run.yaml]",
    help: "File that config init writes; - for standard output",
    short: "o",
    value: "file",
    completes: "file",
    inFile: false,
    defaultText: "run.yaml",
  },
  full: {
    kind: "flag",
    group: FILES,
    common: true,
    brief: "Every option of each point, with expand",
    help: "With config expand, print every option of each point, including defaults",
    inFile: false,
  },
  index: {
    ...COUNT,
    group: FILES,
    common: true,
    brief: "Only this point, counted from 0, with expand",
    help: "With config expand, print only this point, counted from 0",
    value: "number",
    min: 0,
    inFile: false,
    example: "--index 2 --full",
  },
} as const satisfies OptionTable;
