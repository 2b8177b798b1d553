import { dirname, join } from "node:path";

const FENCE = /^ *(`{3,})[^\n]*\n[\s\S]*?^ *\1 *$/gm;
const LINK = /\]\(([^)\s]+)(?: "[^"]*")?\)/g;

/**
 * Links in Markdown files that lead to no file, or to no heading of a Markdown file; one line each.
 * Links to other sites and links in code are skipped.
 * @param root Folder of the files.
 * @param names Names of the files in `root`.
 */
export async function markdownLinkProblems(
  root: string,
  names: readonly string[],
): Promise<string[]> {
  const problems: string[] = [];
  for (const name of names) {
    const text = (await Deno.readTextFile(join(root, name))).replace(FENCE, "");
    for (const [, link = ""] of text.replace(/`[^`\n]*`/g, "").matchAll(LINK)) {
      const missing = await missingPart(root, name, link);
      if (missing !== undefined) problems.push(`${name}: ${link} leads to no ${missing}`);
    }
  }
  return problems;
}

async function missingPart(
  root: string,
  from: string,
  link: string,
): Promise<"file" | "heading" | undefined> {
  if (/^[a-z][a-z0-9+.-]*:/i.test(link)) return undefined;
  const [path = "", id = ""] = link.split("#", 2);
  const file = path === "" ? join(root, from) : join(root, dirname(from), path);
  const isThere = await Deno.stat(file).then(() => true, () => false);
  if (!isThere) return "file";
  if (id === "" || !file.endsWith(".md")) return undefined;
  return headingIds(await Deno.readTextFile(file)).has(decodeURIComponent(id))
    ? undefined
    : "heading";
}

/** Anchors of the headings, as GitHub forms them: repeated ones are numbered. */
function headingIds(text: string): Set<string> {
  const ids = new Set<string>();
  for (const [, heading = ""] of text.replace(FENCE, "").matchAll(/^#{1,6} +(.+?) *$/gm)) {
    const id = heading.replace(/\[([^\]]*)\]\([^)]*\)/g, "$1").toLowerCase()
      .replace(/[^\p{L}\p{M}\p{N}\p{Pc} -]/gu, "").replaceAll(" ", "-");
    let unique = id;
    for (let count = 1; ids.has(unique); count++) unique = `${id}-${count}`;
    ids.add(unique);
  }
  return ids;
}
