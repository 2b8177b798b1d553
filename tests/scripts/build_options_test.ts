import assert from "node:assert/strict";
import { GENERATED_FILES } from "../../scripts/options/generated_files.ts";

/** Without line breaks, which are the formatter's. */
function words(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}

for (const [path, text] of GENERATED_FILES) {
  Deno.test(`${path} is what scripts/build_options.ts makes of the option tables`, async () => {
    const committed = await Deno.readTextFile(new URL(`../../${path}`, import.meta.url));
    assert.ok(words(committed) === words(text()), "run scripts/build_options.ts");
  });
}
