import { displayWidth } from "./display_width.ts";

/**
 * Breaks a text into lines that fit: between words if possible, within a word that is longer than a
 * line, such as a URL or a line of Chinese. Only the spaces at the breaks are lost.
 * @param width columns of a line
 * @param indent spaces before each line but the first; they count as part of it
 */
export function wrapText(text: string, width: number, indent = 0): string[] {
  const lines: string[] = [];
  let line = "";
  let room = width;
  let isEmpty = true;
  const breakLine = (): void => {
    lines.push(line);
    line = " ".repeat(indent);
    room = width - indent;
    isEmpty = true;
  };
  const append = (piece: string): void => {
    line += piece;
    room -= displayWidth(piece);
    isEmpty = false;
  };
  for (const word of text.split(" ")) {
    const spaced = isEmpty ? word : ` ${word}`;
    if (displayWidth(spaced) <= room) {
      append(spaced);
      continue;
    }
    if (!isEmpty) breakLine();
    for (const piece of pieces(word, width - indent)) {
      if (displayWidth(piece) > room && !isEmpty) breakLine();
      append(piece);
    }
  }
  return [...lines, line];
}

/** A word, cut where it does not fit. */
function pieces(word: string, width: number): string[] {
  if (displayWidth(word) <= width) return [word];
  const cut: string[] = [];
  let piece = "";
  let pieceWidth = 0;
  for (const character of word) {
    const characterWidth = displayWidth(character);
    if (pieceWidth + characterWidth > width && piece !== "") {
      cut.push(piece);
      piece = "";
      pieceWidth = 0;
    }
    piece += character;
    pieceWidth += characterWidth;
  }
  return [...cut, piece];
}
