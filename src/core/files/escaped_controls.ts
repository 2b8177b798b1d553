/** Control characters but tab and line ends, which structure texts. */
// deno-lint-ignore no-control-regex
const CONTROLS = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/g;

/**
 * Text with control characters in the escapes of JSON: what shows a file might obey them. In JSON,
 * which allows some of them in its strings, it means the same.
 */
export function escapedControls(text: string): string {
  return text.replace(
    CONTROLS,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
