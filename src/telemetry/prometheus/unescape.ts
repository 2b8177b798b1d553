const QUOTED_ESCAPE = /\\[\\n"]/g;
const CLASSIC_HELP_ESCAPE = /\\[\\n]/g;

/** Undoes the escapes of label values, quoted names and OpenMetrics HELP texts; others stay. */
export function unescapeQuoted(text: string): string {
  return text.includes("\\") ? text.replace(QUOTED_ESCAPE, unescaped) : text;
}

/** Undoes the escapes of HELP texts in the format 0.0.4, which leaves quotes alone. */
export function unescapeClassicHelp(text: string): string {
  return text.includes("\\") ? text.replace(CLASSIC_HELP_ESCAPE, unescaped) : text;
}

function unescaped(escape: string): string {
  return escape === "\\n" ? "\n" : escape.slice(1);
}
