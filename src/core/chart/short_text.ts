/** A text of at most this many characters: longer ones end with an ellipsis. */
export function shortText(text: string, maxLength: number): string {
  return text.length > maxLength ? `${text.slice(0, maxLength - 1)}…` : text;
}
