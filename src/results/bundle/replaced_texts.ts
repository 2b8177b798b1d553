/**
 * Replaces texts in JSON, of one value or of several lines; everything else stays as it is, byte for byte.
 * @param replaced returns the new text, or the same one; `before` is the text token before it, with its
 *   quotes: the key of a text that is a value
 */
export function replacedTexts(
  json: string,
  replaced: (text: string, before: string) => string,
): string {
  let before = "";
  return json.replace(/"(?:[^"\\]|\\.)*"/g, (token) => {
    const key = before;
    before = token;
    const text = textOf(token);
    if (text === undefined) return token;
    const now = replaced(text, key);
    return now === text ? token : JSON.stringify(now);
  });
}

function textOf(token: string): string | undefined {
  try {
    return JSON.parse(token);
  } catch {
    return undefined;
  }
}
