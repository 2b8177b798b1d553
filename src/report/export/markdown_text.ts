/** Any text as plain words within a line of Markdown: nothing of it is markup, HTML or a link. */
export function markdownText(text: string): string {
  return text.replace(/[\p{Cc}\u2028-\u202e\u2066-\u2069]+/gu, " ").replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;").replaceAll(">", "&gt;").replace(/[\\`*_[\]|#~!@]/g, "\\$&")
    .replaceAll("://", ":\u200b//");
}
