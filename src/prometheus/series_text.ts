import { isPlainLabelName, isPlainMetricName } from "./characters.ts";

/**
 * Name and labels written in one way, whatever way the page wrote them: labels in the order given,
 * no blanks, quotes around names only where needed. It is itself exposition text.
 */
export function seriesText(
  name: string,
  labels: readonly (readonly [name: string, value: string])[],
): string {
  const plain = isPlainMetricName(name);
  if (labels.length === 0) return plain ? name : `{"${escape(name)}"}`;
  let text = plain ? `${name}{` : `{"${escape(name)}",`;
  let separator = "";
  for (const [labelName, value] of labels) {
    text += `${separator}${labelText(labelName, value)}`;
    separator = '",';
  }
  return `${text}"}`;
}

/** A label as {@linkcode seriesText} writes it, without its closing quote. */
export function labelText(name: string, value: string): string {
  return isPlainLabelName(name)
    ? `${name}="${escape(value)}`
    : `"${escape(name)}"="${escape(value)}`;
}

const NEEDS_ESCAPE = /[\\"\n]/;
const ESCAPED = /[\\"\n]/g;

function escape(text: string): string {
  if (!NEEDS_ESCAPE.test(text)) return text;
  return text.replace(ESCAPED, (character) => character === "\n" ? "\\n" : `\\${character}`);
}
