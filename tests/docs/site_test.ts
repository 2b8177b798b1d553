/** The site of the documentation: its list of pages, and what ends its build. */

import assert from "node:assert/strict";
import { siteProblems } from "../../docs/.vitepress/site_problems.ts";
import { siteStyle } from "../../docs/.vitepress/site_style.ts";
import { PAGE_GROUPS } from "../../docs/.vitepress/pages.ts";
import { COMMANDS } from "../../src/cli/commands.ts";
import { withFolder } from "../support/artifacts.ts";

const DOCS = new URL("../../docs/", import.meta.url);

async function pagesOf(folder: string): Promise<string[]> {
  const names: string[] = [];
  for await (const { name } of Deno.readDir(new URL(folder, DOCS))) {
    if (name.endsWith(".md")) names.push(folder + name);
  }
  return names;
}

Deno.test("every page of the documentation stands in the sidebar, once", async () => {
  const listed = PAGE_GROUPS.flatMap(({ pages }) => pages.map(([, file]) => file));
  assert.equal(new Set(listed).size, listed.length);
  const pages = [...await pagesOf("./"), ...await pagesOf("./examples/")]
    .map((name) => name.replace("./", ""));
  assert.deepEqual(pages.filter((name) => name !== "index.md" && !listed.includes(name)), []);
});

Deno.test("every command stands on the page of commands, once", async () => {
  const page = await Deno.readTextFile(new URL("commands.md", DOCS));
  const [table = ""] = page.split("\n## ");
  const listed = [...table.matchAll(/^\| `inferometer ([a-z-]+)/gm)].map(([, name]) => name);
  assert.deepEqual(listed.toSorted(), COMMANDS.map(({ name }) => name).toSorted());
});

/** What is wrong with a site of these pages; `~` stands for their heading. */
async function broken(pages: Readonly<Record<string, string>>, base = "/"): Promise<string[]> {
  let found: string[] = [];
  await withFolder(async (folder) => {
    await Deno.mkdir(`${folder}/sub`);
    for (const [name, text] of Object.entries(pages)) {
      await Deno.writeTextFile(`${folder}/${name}`, text.replace("~", "<h1>x</h1>"));
    }
    found = siteProblems(folder, base);
  });
  return found;
}

Deno.test("siteProblems takes links to files, headings, folders and other sites", async () => {
  assert.deepEqual(
    await broken({
      "index.html": '~<a href="./sub/a.html#b%C3%A9">x</a> <a href="#here">x</a> <p id="here">',
      "sub/a.html":
        '~<p id="bé"> <a href="../">x</a> <a href="/docs/run.sh">x</a> <img src="/docs/run.sh">',
      "run.sh": "",
    }, "/docs/"),
    [],
  );
  assert.deepEqual(
    await broken({ "index.html": '~<a href="https://example.com/none">x</a> <a href="mailto:x">' }),
    [],
  );
});

for (
  const [what, html, says] of [
    ["a file that is not there", '~<a href="./none.html">', "./none.html leads to no file"],
    ["a heading that is not there", '~<a href="#none">', "#none leads to no heading"],
    ["a heading of another page", '~<a href="sub/a.html#none">', "leads to no heading"],
    ["a picture that is not there", '~<img src="/none.png">', "/none.png leads to no file"],
    ["a script of another host", '~<script src="https://cdn.example/x.js">', "another host"],
    ["a page that is empty", '<p id="x">', "was not rendered"],
    [
      "a style of another host",
      '~<link rel="stylesheet" href="//cdn.example/x.css">',
      "other host",
    ],
  ] as const
) {
  Deno.test(`siteProblems finds ${what}`, async () => {
    const found = await broken({ "index.html": html, "sub/a.html": "~<p id='b'>" });
    assert.equal(found.length, 1, found.join("\n"));
    assert.match(found[0] as string, new RegExp(says.replaceAll(".", "\\.")));
  });
}

Deno.test("the site has the colours of the report in both themes", async () => {
  const tokens = await Deno.readTextFile(
    new URL("../src/report/html/browser/tokens.css", DOCS),
  );
  const style = siteStyle(tokens);
  const [light = "", dark = ""] = style.split("html.dark:root");
  const lightBg = /--bg: ([^;]+);/.exec(tokens)?.[1];
  const darkBg = /data-theme="dark"\] \{[^}]*?--bg: ([^;]+);/.exec(tokens)?.[1];
  assert.notEqual(lightBg, darkBg);
  assert.ok(light.includes(`--vp-c-bg: ${lightBg};`), light);
  assert.ok(dark.includes(`--vp-c-bg: ${darkBg};`), dark);
  assert.throws(() => siteStyle(tokens.replaceAll("--line:", "--other:")), /has no --line/);
  // The builder reads it; a page without it would have the generator's colours.
  const config = await Deno.readTextFile(new URL(".vitepress/config.ts", DOCS));
  assert.match(config, /siteStyle\(readFileSync\(TOKENS/);
});
