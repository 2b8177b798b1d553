// deno-lint-ignore-file no-console
/**
 * Prints the megabytes per CPU second of one index pass over a file of recorded sessions.
 *
 *     deno run --allow-all scripts/bench/index_pass.ts FORMAT FILE
 */

import process from "node:process";
import { InputSource } from "../../src/load/dataset/formats/input_source.ts";
import { AGENT_FORMATS } from "../../src/load/sessions/formats/session_formats.ts";
import { IndexedFile } from "../../src/load/sessions/index/indexed_file.ts";

const [format = "", path = ""] = Deno.args;
const grouping = AGENT_FORMATS.get(format)?.grouping?.();
if (grouping === undefined) throw new Error(`${format}: must be a format whose rows are indexed`);
const folder = await Deno.makeTempDir({ prefix: "bench-" });
try {
  const source = await InputSource.open(path);
  const bytes = await source.size();
  const before = process.cpuUsage();
  const file = await IndexedFile.open(source, grouping, folder, new AbortController().signal);
  const { user, system } = process.cpuUsage(before);
  file.close();
  console.log(bytes / (user + system));
} finally {
  await Deno.remove(folder, { recursive: true });
}
