/**
 * Makes what derives from tables and is committed: the types of the library's options, and the pages
 * of options, metrics and files. A test tells when they are out of date.
 */

import { fileURLToPath } from "node:url";
import { GENERATED_FILES } from "./generated/generated_files.ts";

const paths: string[] = [];
for (const [path, text] of GENERATED_FILES) {
  const target = fileURLToPath(new URL(`../${path}`, import.meta.url));
  await Deno.writeTextFile(target, await text());
  paths.push(target);
}
const { success } = await new Deno.Command(Deno.execPath(), { args: ["fmt", "-q", ...paths] })
  .output();
if (!success) throw new Error("deno fmt failed");
