import assert from "node:assert/strict";
import { GENERATED_FILES } from "../../scripts/generated/generated_files.ts";

/** Without line breaks and widths of tables, which are the formatter's. */
function words(text: string): string {
  return text.replace(/\s+/g, " ").replace(/-{3,}/g, "---").replace(/ ?(\/?>|<) ?/g, "$1").trim();
}

for (const [path, text] of GENERATED_FILES) {
  Deno.test(`${path} is what scripts/build_generated.ts makes of the tables`, async () => {
    const committed = await Deno.readTextFile(new URL(`../../${path}`, import.meta.url));
    assert.ok(words(committed) === words(await text()), "run scripts/build_generated.ts");
  });
}
