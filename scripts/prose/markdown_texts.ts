import type { ProseText } from "./prose_text.ts";

/** Returns the paragraphs, headings and table cells of a Markdown page, without its code. */
export function markdownTexts(page: string, file: string): ProseText[] {
  const texts: ProseText[] = [];
  const lines = page.split("\n");
  let isFrontMatter = lines[0] === "---";
  let fence: string | undefined;
  let block: string[] = [];
  let blockLine = 0;

  const add = (line: number, text: string, role: ProseText["role"]): void => {
    texts.push({ kind: "docs", file, line, text: withoutMarkup(text), role });
  };
  const flush = (): void => {
    if (block.length > 0) add(blockLine, block.join(" "), "paragraph");
    block = [];
  };

  for (const [index, row] of lines.entries()) {
    if (isFrontMatter) {
      isFrontMatter = index === 0 || row !== "---";
      continue;
    }
    const stripped = row.trim();
    const opened = /^(```+|~~~+)/.exec(stripped)?.[1];
    if (fence !== undefined) {
      if (opened?.startsWith(fence) === true) fence = undefined;
    } else if (opened !== undefined) {
      flush();
      fence = opened;
    } else if (stripped === "" || stripped.startsWith("<!--")) {
      flush();
    } else if (stripped.startsWith("|")) {
      flush();
      for (const cell of cellsOf(stripped)) add(index + 1, cell, "cell");
    } else if (stripped.startsWith("#")) {
      flush();
      add(index + 1, stripped.replace(/^[# ]+/, ""), "heading");
    } else {
      const item = /^(?:[-*+]|\d+\.)\s+/.exec(stripped)?.[0] ?? "";
      if (item !== "") flush();
      if (block.length === 0) blockLine = index + 1;
      block.push(stripped.slice(item.length));
    }
  }
  flush();
  return texts;
}

/** Returns the cells of a table row that hold text. */
function cellsOf(row: string): string[] {
  if (/^[|:\s-]+$/.test(row)) return [];
  const cells = row.replace(/^\|+|\|+$/g, "").split(/(?<!\\)\|/);
  return cells.map((cell) => cell.trim()).filter((cell) => cell !== "");
}

function withoutMarkup(text: string): string {
  return text
    .replace(/!\[([^\]]*)\]\([^)]*\)/g, "$1.")
    .replace(/`[^`]*`/g, "CODE")
    .replace(/\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replace(/<\/?[a-z][^>]*>/g, "")
    .replaceAll("**", "")
    .replaceAll("_", "");
}
