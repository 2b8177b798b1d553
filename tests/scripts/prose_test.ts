import assert from "node:assert/strict";
import { exceededLimits, loweredLimits } from "../../scripts/check_prose.ts";
import { markdownTexts } from "../../scripts/prose/markdown_texts.ts";
import { proseFaults } from "../../scripts/prose/prose_faults.ts";
import type { ProseText } from "../../scripts/prose/prose_text.ts";
import { sourceTexts } from "../../scripts/prose/source_texts.ts";

/** Violations as `line kind: rule`. */
function faultsOf(texts: readonly ProseText[]): string[] {
  return texts.flatMap((text) =>
    proseFaults(text).map(({ rule }) => `${text.line} ${text.kind}: ${rule}`)
  );
}

Deno.test("a page is checked by paragraph, cell and heading, outside its code", () => {
  const page = [
    "---",
    "title: nobody",
    "---",
    "# Nobody waits",
    "The server",
    "stands at the end, `nobody` sees it.",
    "",
    "```sh",
    "echo nobody",
    "```",
    "| a picture | nobody \\| none |",
    "| - | - |",
    "- [nobody](nobody.md)",
    "- runs",
  ].join("\n");
  assert.deepEqual(faultsOf(markdownTexts(page, "docs/page.md")), [
    "4 docs: nobody, somebody (threads)",
    "5 docs: stands (is located)",
    "11 docs: picture (chart)",
    "11 docs: nobody, somebody (threads)",
    "13 docs: nobody, somebody (threads)",
  ]);
});

Deno.test("a source file is checked by doc comments and strings, outside names and code", () => {
  const source = [
    'import { a } from "./nobody/in/this/folder.ts";',
    "// Nobody reads this.",
    "/** The same for nobody. */",
    "const pattern = /\"nobody in this room's list/;",
    "const text = `the run ${nobody(`this is what nobody wants`)} is made ` +",
    '  "for nobody else";',
    'const name = "nobody_at_home";',
    'const half = total / 2, other = "what nobody ever reads" / 2;',
    'const skipped = "here nobody counts it"; // prose: ignore',
    "/**",
    " * Time of a run, `nobody`.",
    " *",
    " * @param nobody - Number of pictures",
    " * @example nobody",
    " */",
  ].join("\n");
  assert.deepEqual(faultsOf(sourceTexts(source, "src/core/a.ts")), [
    "5 messages: nobody, somebody (threads)",
    "5 messages: nobody, somebody (threads)",
    "8 messages: nobody, somebody (threads)",
    "3 comments: nobody, somebody (threads)",
    "3 comments: doc comment does not stand alone",
    "10 comments: picture (chart)",
  ]);
});

Deno.test("strings of option tables are help, with short ones under keys of texts", () => {
  const source =
    'export const OPTION = { help: "A picture", unit: "nobody", example: "for nobody at all" };';
  assert.deepEqual(faultsOf(sourceTexts(source, "src/config/options/profile/a.ts")), [
    "1 help: picture (chart)",
  ]);
  assert.deepEqual(faultsOf(sourceTexts(source, "src/config/plan/a.ts")), [
    "1 messages: nobody, somebody (threads)",
  ]);
});

Deno.test("sentences have at most 40 words, paragraphs at most 120", () => {
  const paragraph = (count: number): string[] =>
    faultsOf(markdownTexts(`A${" word".repeat(count - 1)}.`, "docs/page.md"));
  assert.deepEqual(paragraph(40), []);
  assert.deepEqual(paragraph(41), ["1 docs: sentence over 40 words"]);
  const sentence = `A${" word".repeat(29)}. `;
  assert.deepEqual(faultsOf(markdownTexts(sentence.repeat(4), "docs/page.md")), []);
  assert.deepEqual(faultsOf(markdownTexts(sentence.repeat(5), "docs/page.md")), [
    "1 docs: paragraph over 120 words",
  ]);
});

Deno.test("limits never rise", () => {
  const limits = { docs: 5, help: 5, messages: 5, comments: 5 };
  const counts = { docs: 4, help: 5, messages: 6, comments: 0 };
  assert.deepEqual(loweredLimits(counts, limits), { docs: 4, help: 5, messages: 5, comments: 0 });
  const [error, ...others] = exceededLimits(counts, limits);
  assert.match(error as string, /^messages: 6 violations, limit 5;/);
  assert.deepEqual(others, []);
});
