import { isPlainLabelName, isPlainMetricName } from "./characters.ts";

/**
 * Returns name and labels in canonical form: labels in the order given, no spaces, quotes around
 * names only where needed. It is itself exposition text.
 * @param omitted the name of a label to leave out
 */
export function seriesText(
  name: string,
  labelNames: readonly string[],
  labelValues: readonly string[],
  omitted?: string,
): string {
  const plain = isPlainMetricName(name);
  let labels = "";
  for (let index = 0; index < labelNames.length; index++) {
    const labelName = labelNames[index] as string;
    if (labelName === omitted) continue;
    if (labels !== "") labels += '",';
    labels += labelText(labelName, labelValues[index] as string);
  }
  if (labels === "") return plain ? name : `{"${escape(name)}"}`;
  return plain ? `${name}{${labels}"}` : `{"${escape(name)}",${labels}"}`;
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
