/** The codes that begin and end each style: the runtime's own `styleText` takes 10 ms to load. */
const CODES = { bold: [1, 22], yellow: [33, 39] } as const;

/** Style of a piece of text. */
export type TextStyle = keyof typeof CODES;

/** A text with the codes of a terminal. Whether colours are wanted is known by the caller. */
export function styledText(style: TextStyle, text: string): string {
  const [begin, end] = CODES[style];
  return `\x1b[${begin}m${text}\x1b[${end}m`;
}
