import type { OptionTable } from "../option.ts";

/** The options of `inferometer plot`. */
export const PLOT_OPTIONS = {
  format: {
    kind: "texts",
    group: "Output",
    help: "Chart file formats",
    value: "format",
    choices: ["svg", "png"],
    words: true,
    default: ["svg"],
    common: true,
    mistakenFor: ["formats", "png", "svg"],
    example: "--format png",
  },
} as const satisfies OptionTable;
