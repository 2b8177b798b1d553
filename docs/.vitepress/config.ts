/** The site of the documentation, which VitePress builds: `deno task docs`. */

import { cpSync, existsSync, realpathSync } from "node:fs";
import { dirname, join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { siteProblems } from "./site_problems.ts";
import { PAGE_GROUPS } from "./pages.ts";

const DOCS = join(dirname(fileURLToPath(import.meta.url)), "..");
const REPOSITORY = "https://github.com/inferometer/inferometer";

// Links to the examples' scripts are links to files, not to pages.
process.env["VITE_EXTRA_EXTENSIONS"] = "sh,py";

/** Colours of report.html (src/report/html/browser/page.css), in both themes. */
const REPORT_COLOURS = `
html:root {
  --vp-c-bg: #fff; --vp-c-bg-alt: #f6f7f9; --vp-c-bg-soft: #f6f7f9;
  --vp-c-text-1: #1b1e23; --vp-c-text-2: #596170; --vp-c-divider: #d8dce3;
  --vp-c-brand-1: #00664a; --vp-c-brand-2: #00664a; --vp-c-brand-3: #00664a;
  --vp-c-warning-1: #a34700;
}
html.dark:root {
  --vp-c-bg: #14161a; --vp-c-bg-alt: #1d2026; --vp-c-bg-soft: #1d2026;
  --vp-c-text-1: #e8eaee; --vp-c-text-2: #a8b0bd; --vp-c-divider: #363b45;
  --vp-c-brand-1: #4fd3ab; --vp-c-brand-2: #4fd3ab; --vp-c-brand-3: #00664a;
  --vp-c-warning-1: #ff9c54;
}`;

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
  head: [["link", { rel: "icon", href: "data:," }], ["style", {}, REPORT_COLOURS]],
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
