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
    help: "Template that config init starts from; it may also stand before the file's name",
    short: "t",
    value: "name",
    inFile: false,
    example: "--template multi_turn_conversation",
  },
  list: {
    kind: "flag",
    group: FILES,
    common: true,
    help: "List the templates of config init",
    short: "l",
    inFile: false,
  },
  output: {
    kind: "text",
    group: FILES,
    common: true,
    help: "File that config init writes, - for the screen",
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
    help: "With config expand, print every option of each point, defaults included",
    inFile: false,
  },
  index: {
    ...COUNT,
    group: FILES,
    common: true,
    help: "With config expand, print this point alone; the first is 0",
    value: "number",
    min: 0,
    inFile: false,
    example: "--index 2 --full",
  },
} as const satisfies OptionTable;
