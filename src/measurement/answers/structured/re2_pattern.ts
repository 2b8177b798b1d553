/**
 * Characters of classes: those of ASCII, and others. Some engines of servers read classes as ASCII,
 * others as Unicode, and a reply that fits either meaning fits the pattern.
 */
const CLASSES: Readonly<Record<string, readonly [ascii: string, others: string]>> = {
  "d": ["0-9", "\\p{Nd}"],
  "w": ["0-9A-Za-z_", "\\p{L}\\p{M}\\p{N}\\p{Pc}"],
  "s": ["\\x09-\\x0d\\x20", "\\x{85}\\x{feff}\\p{Z}"],
};
const HEX = /^\\u(?:\{([0-9a-fA-F]{1,6})\}|([0-9a-fA-F]{4}))/;
const NAMED = /^\[:\^?[a-z]+:\]/;
const CONTROL = /^\\c([A-Za-z])/;

/**
 * Returns a pattern of Python, Rust or JavaScript in the syntax of RE2. What RE2 has no syntax for,
 * such as look-around, stays as it is, so that RE2 refuses the pattern.
 * @param isAscii whether the texts are ASCII: classes without other characters are several times as fast
 */
export function re2Pattern(source: string, isAscii = false): string {
  let written = "";
  let isInClass = false;
  for (let at = 0; at < source.length;) {
    const char = source[at] as string;
    if (char === "\\") {
      const [text, length] = escaped(source.slice(at, at + 10), isInClass, isAscii);
      written += text;
      at += length;
      continue;
    }
    if (isInClass) {
      const named = NAMED.exec(source.slice(at, at + 12))?.[0] ?? char;
      isInClass = char !== "]";
      written += named === "[" ? "\\[" : named;
      at += named.length;
    } else if (char === "[") {
      const start = /^\[\^?\]?/.exec(source.slice(at, at + 3))?.[0] ?? char;
      // JavaScript's [] and [^] are complete; elsewhere a bracket at the beginning is a character.
      const isComplete = start === "[^]" && source[at + 3] !== "]" &&
        !/\]/.test(source.slice(at + 3));
      written += isComplete ? "[\\x00-\\x{10ffff}]" : start.replace(/\]$/, "\\]");
      isInClass = !isComplete;
      at += start.length;
    } else {
      // Python's form of "at most".
      const isAtMost = /^\{,\d+\}/.test(source.slice(at, at + 10));
      written += isAtMost ? "{0" : char;
      at++;
    }
  }
  return written;
}

/** An escape in RE2's syntax, and its length in the source. */
function escaped(
  source: string,
  isInClass: boolean,
  isAscii: boolean,
): [written: string, length: number] {
  const name = source[1] ?? "";
  const [ascii, others = ""] = CLASSES[name] ?? [];
  if (ascii !== undefined) {
    const members = isAscii ? ascii : ascii + others;
    return [isInClass ? members : `[${members}]`, 2];
  }
  const hex = HEX.exec(source);
  if (hex !== null) return [`\\x{${hex[1] ?? hex[2]}}`, hex[0].length];
  const control = CONTROL.exec(source);
  if (control !== null) {
    return [`\\x{${((control[1] as string).charCodeAt(0) % 32).toString(16)}}`, 3];
  }
  // The end of the text: RE2 has no form that allows for a line feed.
  if (name === "Z") return ["\\z", 2];
  if (name === "/" || name === "-" || name === "_" || name === '"' || name === "'") {
    return [name === "-" ? "\\-" : name, 2];
  }
  return [source.slice(0, 2), Math.min(2, source.length)];
}
