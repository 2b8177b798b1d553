// deno-lint-ignore-file no-console
/**
 * Packs everything twice, and tries every way of installing:
 * `deno run --allow-all scripts/check_packages.ts [--denort DIR] [--dist DIR] [--once]
 * [--only NAME...]`
 *
 * The two must be the same byte for byte; `--once` does without. `--dist` tries what lies in a folder
 * already. What takes a tool that is not here is skipped, and that is said.
 */

import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import denoConfig from "../deno.json" with { type: "json" };
import { hostTarget } from "./compile/targets.ts";
import { type Install, INSTALLS } from "./package/installs.ts";
import { CHECKSUMS_NAME } from "./release/assets.ts";

const ROOT = fileURLToPath(new URL("..", import.meta.url));

async function pack(folder: string, denort: string | undefined): Promise<string> {
  const { success } = await new Deno.Command(Deno.execPath(), {
    args: [
      ...["run", "--quiet", "--allow-all", join(ROOT, "scripts/package.ts")],
      ...["--target", hostTarget(), "--output-dir", folder],
      ...(denort === undefined ? [] : ["--denort", denort]),
    ],
    stdout: "null",
  }).spawn().status;
  if (!success) throw new Error("It cannot be packed");
  return await Deno.readTextFile(join(folder, CHECKSUMS_NAME));
}

/** What is missing for a way of installing; undefined if nothing is. */
async function missing({ needs, needsRoot }: Install): Promise<string | undefined> {
  if (needsRoot === true && Deno.uid() !== 0) return "needs root";
  for (const program of needs) {
    const { success } = await new Deno.Command("sh", {
      args: ["-c", `command -v ${program}`],
      stdout: "null",
    }).output();
    if (!success) return `there is no ${program}`;
  }
  return undefined;
}

const { values } = parseArgs({
  args: Deno.args,
  options: {
    "denort": { type: "string" },
    "dist": { type: "string" },
    "only": { type: "string", multiple: true },
    "once": { type: "boolean" },
  },
});
const work = await Deno.makeTempDir({ prefix: "inferometer-packages-" });
let passed = 0;
let failed = 0;
async function step(name: string, check: () => Promise<string>): Promise<void> {
  try {
    console.log(`${name}: ok ${(await check()).trim()}`);
    passed++;
  } catch (error) {
    console.log(`${name}: FAILED ${(error as Error).message}`);
    failed++;
  }
}
try {
  const dist = values.dist ?? join(work, "dist");
  if (values.dist === undefined) {
    await step(values.once === true ? "packed" : "packed twice", async () => {
      const first = await pack(dist, values.denort);
      if (values.once === true) return `${first.split("\n").length - 1} files`;
      const second = await pack(join(work, "again"), values.denort);
      if (first !== second) throw new Error(`${first}\n differs from\n${second}`);
      return `${first.split("\n").length - 1} files, the same bytes`;
    });
  }
  for (const install of INSTALLS) {
    if (values.only !== undefined && !values.only.some((name) => install.name.includes(name))) {
      continue;
    }
    const why = await missing(install);
    if (why !== undefined) {
      console.log(`${install.name}: skipped, ${why}`);
      continue;
    }
    const folder = await Deno.makeTempDir({ dir: work });
    const context = { dist, version: denoConfig.version, work: folder };
    await step(install.name, () => install.try(context));
  }
} finally {
  await Deno.remove(work, { recursive: true }).catch(() => {});
}
console.log(`${failed === 0 ? "ok" : "FAILED"} | ${passed} passed | ${failed} failed`);
Deno.exit(failed === 0 ? 0 : 1);
