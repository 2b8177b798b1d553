/** Joins a number and its unit, so that no line breaks between them. */
export function unbroken(text: string): string {
  return text.replace(/(\d|±|[<≤]) (?=\d|%|ms\b|s\b|tokens\b|requests\b)/g, "$1\u00a0");
}
