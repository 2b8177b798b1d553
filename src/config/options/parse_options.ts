import type { OptionTable } from "./option.ts";

const READING = "Reading";

/** The options of `inferometer parse`. */
export const PARSE_OPTIONS = {
  strict: {
    kind: "flag",
    group: READING,
    help: "Stop at the first error and print its line and column",
  },
  contentType: {
    kind: "text",
    group: READING,
    help: "Content type of the page",
    value: "type",
    example: "--content-type application/openmetrics-text",
  },
} as const satisfies OptionTable;
