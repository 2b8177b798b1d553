/** What can be wrong with a built site. */

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";

const LINK = /\s(?:href|src)="([^"]*)"/g;
const ID = /\sid="([^"]*)"/g;
/** What leaves the site is loaded only when somebody clicks it. */
const LOADED = /<(?:script|img|link|iframe|source|video)\b[^>]*\s(?:src|href)="(?:https?:)?\/\//;

interface BuiltPage {
  readonly ids: ReadonlySet<string>;
  readonly links: readonly string[];
  readonly isOffline: boolean;
  /** What the generator writes of a page that it could not render has no heading. */
  readonly isRendered: boolean;
}

/**
 * What is wrong with a site: links that lead to no file, or to no heading, whatever pages load from
 * other hosts, and pages that are empty.
 * @param folder Folder of the site.
 * @param base Path under which it is served, with a slash at both ends.
 */
export function siteProblems(folder: string, base: string): string[] {
  const pages = new Map(
    readdirSync(folder, { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".html") && name !== "404.html")
      .map((name) => [name, readPage(join(folder, name))] as const),
  );
  return [...pages].flatMap(([name, { links, isOffline, isRendered }]) => [
    ...(isRendered ? [] : [`${name} has no heading: it was not rendered`]),
    ...(isOffline ? [] : [`${name} loads something from another host`]),
    ...links.flatMap((link) => {
      const target = fileOf(link, name, base);
      if (target === undefined) return [];
      if (!existsSync(join(folder, target.file))) return [`${name}: ${link} leads to no file`];
      const ids = pages.get(target.file)?.ids;
      const isHere = target.id === "" || ids === undefined || ids.has(target.id);
      return isHere ? [] : [`${name}: ${link} leads to no heading`];
    }),
  ]);
}

function readPage(path: string): BuiltPage {
  const text = readFileSync(path, "utf8");
  const all = (pattern: RegExp) => [
    ...new Set([...text.matchAll(pattern)].map(([, value]) => unescaped(value ?? ""))),
  ];
  return {
    ids: new Set(all(ID)),
    links: all(LINK),
    isOffline: !LOADED.test(text),
    isRendered: /<h1\b/.test(text),
  };
}

/** The file of a site that a link leads to, and the heading in it; undefined outside the site. */
function fileOf(
  link: string,
  from: string,
  base: string,
): { readonly file: string; readonly id: string } | undefined {
  if (/^[a-z][a-z0-9+.-]*:|^\/\//i.test(link)) return undefined;
  const [path = "", id = ""] = link.split("#", 2).map(decodeURIComponent);
  const file = path === ""
    ? from
    : path.startsWith("/")
    ? relative(base, path)
    : join(dirname(from), path);
  return { file: path.endsWith("/") ? join(file, "index.html") : file, id };
}

function unescaped(text: string): string {
  return text.replaceAll("&quot;", '"').replaceAll("&lt;", "<").replaceAll("&gt;", ">")
    .replaceAll("&#39;", "'").replaceAll("&amp;", "&");
}
