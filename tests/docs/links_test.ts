/** Links and anchors of the pages, as Markdown hosts and the site resolve them. */

import assert from "node:assert/strict";
import { markdownLinkProblems } from "../support/markdown_links.ts";
import { withFolder } from "../support/artifacts.ts";

const ROOT = new URL("../../", import.meta.url).pathname;

async function pages(): Promise<string[]> {
  const names = ["README.md", "CHANGELOG.md"];
  for (const folder of ["docs", "docs/examples"]) {
    for await (const { name } of Deno.readDir(`${ROOT}${folder}`)) {
      if (name.endsWith(".md")) names.push(`${folder}/${name}`);
    }
  }
  return names;
}

Deno.test("every link of README, changelog and documentation leads to a file and a heading", async () => {
  assert.deepEqual(await markdownLinkProblems(ROOT, await pages()), []);
});

Deno.test("markdownLinkProblems reports missing files, folders and headings", () =>
  withFolder(async (folder) => {
    await Deno.writeTextFile(
      `${folder}/a.md`,
      "# A `--b` page: x\n\n[x](b.md) [x](b.md#two-words-1) [x](#a---b-page-x) [x](https://x.y/#z)\n" +
        "```sh\n[x](none.md)\n```\n`[x](none.md)` ![x](c.png) [x](none.md)\n[x](b.md#three) [x](#four)\n",
    );
    await Deno.writeTextFile(`${folder}/b.md`, "# Two words\n\n## Two words\n");
    assert.deepEqual(await markdownLinkProblems(folder, ["a.md", "b.md"]), [
      "a.md: c.png leads to no file",
      "a.md: none.md leads to no file",
      "a.md: b.md#three leads to no heading",
      "a.md: #four leads to no heading",
    ]);
  }));
