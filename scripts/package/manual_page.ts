import type { BuildStamp } from "../compile/build_stamp.ts";
import { PRODUCT } from "./product.ts";

/** The manual page, of what the program says of itself (man-pages(7)). */
export function manualPage(help: string, { version, date }: BuildStamp): string {
  return [
    `.TH ${PRODUCT.name.toUpperCase()} 1 "${date.slice(0, 10)}" "${PRODUCT.name} ${version}"`,
    ".SH NAME",
    `${PRODUCT.name} \\- measures LLM inference servers`,
    ".SH SYNOPSIS",
    `.B ${PRODUCT.name}`,
    ".I command",
    ".RI [ options ]",
    ".SH DESCRIPTION",
    `${roff(PRODUCT.summary)}.`,
    ".PP",
    ".nf",
    ...help.trimEnd().split("\n").map(roff),
    ".fi",
    ".SH SEE ALSO",
    `.B ${PRODUCT.name}`,
    ".I command",
    ".B \\-\\-help",
    "tells the options of a command. Documentation:",
    `.UR ${PRODUCT.homepage}`,
    ".UE .",
    "",
  ].join("\n");
}

/** Text that the formatter takes for nothing else. */
function roff(line: string): string {
  const escaped = line.replaceAll("\\", "\\e").replaceAll("-", "\\-");
  return /^[.']/.test(escaped) ? `\\&${escaped}` : escaped;
}
