/** A server's words without control characters, and not too many of them. */
export function printableText(text: string, maxLength = 300): string {
  // deno-lint-ignore no-control-regex
  const plain = text.replace(/[\u0000-\u001f\u007f-\u009f]+/g, " ").trim();
  return plain.length > maxLength ? `${plain.slice(0, maxLength)}...` : plain;
}
