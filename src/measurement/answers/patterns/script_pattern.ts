/**
 * A pattern as one of JavaScript, whose forms of names and of the ends of a text differ from those of
 * Python.
 * @throws {SyntaxError} if it is no pattern
 */
export function scriptPattern(
  source: string,
): { readonly pattern: string; readonly flags: string } {
  const [, letters = "", rest = source] = /^\(\?([a-z]+)\)([\s\S]*)$/.exec(source) ?? [];
  const pattern = rest.replace(
    /\\([AZz])|\(\?P<|\(\?P=(\w+)\)|\{(?=,\d+\})|\\[\s\S]/g,
    (found, end: string | undefined, name: string | undefined) =>
      end !== undefined
        ? end === "A" ? "^" : "$"
        : name !== undefined
        ? `\\k<${name}>`
        : found === "(?P<"
        ? "(?<"
        : found === "{"
        ? "{0"
        : found,
  );
  if (letters.includes("x")) {
    throw new SyntaxError("a pattern cannot be read", {
      cause: new SyntaxError("The flag x is not supported"),
    });
  }
  const own = [...letters].filter((letter) => "ims".includes(letter)).join("");
  let cause: unknown;
  for (const flags of [`${own}u`, own]) {
    try {
      new RegExp(pattern, flags);
      return { pattern, flags };
    } catch (error) {
      // Without the flag u, more escapes are allowed.
      cause = error;
    }
  }
  throw new SyntaxError("a pattern cannot be read", { cause });
}
