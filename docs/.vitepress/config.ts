/** The site of the documentation, which VitePress builds: `deno task docs`. */

import { cpSync, existsSync, readFileSync, realpathSync } from "node:fs";
import { dirname, join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { siteProblems } from "./site_problems.ts";
import { siteStyle } from "./site_style.ts";
import { PAGE_GROUPS } from "./pages.ts";

const DOCS = join(dirname(fileURLToPath(import.meta.url)), "..");
const REPOSITORY = "https://github.com/inferometer/inferometer";

// Links to the examples' scripts and inputs are links to files, not to pages.
process.env["VITE_EXTRA_EXTENSIONS"] = "sh,py,jsonl";

/** The style sheet with the colours of the report, of both themes. */
const TOKENS = join(DOCS, "../src/report/html/browser/tokens.css");

const sidebar = PAGE_GROUPS.map(({ title, pages }) => ({
  text: title,
  items: pages.filter(([, file]) => existsSync(join(DOCS, file)))
    .map(([text, file]) => ({
      text,
      link: `/${file.replace(/\.md$/, "")}`,
    })),
}));

/** The anchor of a heading, as GitHub makes it, so that links work in both places. */
function slugify(heading: string): string {
  return heading.trim().toLowerCase().replace(/[^\p{L}\p{M}\p{N}\p{Pc} -]/gu, "")
    .replaceAll(" ", "-");
}

interface CodeToken {
  attrSet(name: string, value: string): void;
}

type CodeRule = (tokens: readonly CodeToken[], at: number, ...rest: readonly unknown[]) => string;

interface Markdown {
  readonly renderer: { readonly rules: { "code_inline"?: CodeRule } };
}

/** Keeps `{{ name }}` in code as it is: pages become components, where it would be evaluated. */
function leaveBraces({ renderer: { rules } }: Markdown): void {
  const usual = rules["code_inline"];
  if (usual === undefined) throw new TypeError("The generator has no rule for code");
  rules["code_inline"] = (tokens, at, ...rest) => {
    tokens[at]?.attrSet("v-pre", "");
    return usual(tokens, at, ...rest);
  };
}

interface Resolver {
  resolve(id: string, importer: string, options: { readonly skipSelf: boolean }): unknown;
}

/**
 * Finds what pages import where the generator is installed: npx keeps it in a folder of its own,
 * which is not above this one.
 */
const generatorModules = {
  name: "generator-modules",
  enforce: "pre",
  resolveId(this: Resolver, id: string): unknown {
    if (id !== "vue" && !id.startsWith("vue/")) return undefined;
    return this.resolve(id, realpathSync(process.argv[1] ?? ""), { skipSelf: true });
  },
};

interface Site {
  readonly outDir: string;
  readonly site: { readonly base: string };
}

export default {
  title: "inferometer",
  description: "Measures LLM inference servers",
  lang: "en",
  head: [["link", { rel: "icon", href: "data:," }], [
    "style",
    {},
    siteStyle(readFileSync(TOKENS, "utf8")),
  ]],
  outDir: "../dist/site",
  markdown: { anchor: { slugify }, config: leaveBraces },
  vite: { plugins: [generatorModules] },
  themeConfig: {
    sidebar,
    outline: [2, 3],
    search: { provider: "local" },
    socialLinks: [{ icon: "github", link: REPOSITORY }],
    docFooter: { prev: "Previous", next: "Next" },
  },
  /** Copies the examples that pages link to, and ends the build where a link is dead. */
  buildEnd({ outDir, site }: Site): void {
    cpSync(join(DOCS, "examples"), join(outDir, "examples"), {
      recursive: true,
      filter: (path: string) => !path.endsWith(".md"),
    });
    const problems = siteProblems(outDir, site.base);
    if (problems.length > 0) throw new Error(`The site is not whole:\n${problems.join("\n")}`);
  },
};
