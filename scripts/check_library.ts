/**
 * Looks at the types of the library as a project with no import map of ours does, which is more
 * than a look at our own files: `deno run --allow-read --allow-write --allow-run
 * scripts/check_library.ts`
 */

import { join } from "node:path";

const LIBRARY = new URL("../mod.ts", import.meta.url).href;
const PROGRAM = `import { parseExposition, profile, summarize } from "${LIBRARY}";
const { families } = parseExposition("up 1\\n");
const average: number = summarize(Float64Array.of(1, 2, 6)).avg;
console.log(typeof profile, families[0]?.name, average);
`;

if (import.meta.main) {
  const folder = await Deno.makeTempDir();
  let code: number;
  try {
    await Deno.writeTextFile(join(folder, "main.ts"), PROGRAM);
    const args = ["check", "--quiet", join(folder, "main.ts")];
    ({ code } = await new Deno.Command(Deno.execPath(), { args, cwd: folder }).spawn().status);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
  Deno.exit(code);
}
