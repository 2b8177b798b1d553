// deno-lint-ignore-file no-console
/**
 * Counts violations of the rules for English in the product's texts, and compares them with the
 * numbers in `scripts/prose/limits.json`:
 * `deno run --allow-read --allow-write=scripts/prose scripts/check_prose.ts [--list] [--lower]`
 *
 * `docs` are README, changelog and pages (`docs/options.md` is generated from help texts); `help` are
 * strings of option tables; `messages` are other strings of at least four words; `comments` are doc
 * comments. A source line with `prose: ignore` is skipped. `--list` prints each violation with its
 * file and what to write instead, `--lower` lowers the limits to the present counts. A limit is never
 * raised: write the new text in plain terms instead.
 */

import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { sourceFiles } from "./compile/source_files.ts";
import { markdownTexts } from "./prose/markdown_texts.ts";
import { PROSE_KINDS, type ProseKind, type ProseText } from "./prose/prose_text.ts";
import { type ProseFault, proseFaults } from "./prose/prose_faults.ts";
import { sourceTexts } from "./prose/source_texts.ts";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const LIMITS = join(ROOT, "scripts/prose/limits.json");
/** Generated from help texts, which are counted where they are written. */
const GENERATED = "docs/options.md";

type Counts = Record<ProseKind, number>;

/** Returns the texts of a checkout that users and maintainers read. */
export async function proseTexts(root: string): Promise<ProseText[]> {
  const below = async (folder: string, ending: string): Promise<string[]> => {
    const paths = await sourceFiles(join(root, folder), ending);
    // Hidden folders hold the site's program and what it builds.
    return paths.map((path) => relative(root, path)).filter((path) => !path.includes("/."));
  };
  const pages = (await below("docs", ".md")).filter((path) => path !== GENERATED);
  const read = (file: string): Promise<string> => Deno.readTextFile(join(root, file));
  const texts: ProseText[] = [];
  for (const file of ["README.md", "CHANGELOG.md", ...pages]) {
    texts.push(...markdownTexts(await read(file), file));
  }
  for (const file of ["mod.ts", ...await below("src", ".ts")]) {
    texts.push(...sourceTexts(await read(file), file));
  }
  return texts;
}

/** Returns an error for each kind of text that has more violations than its limit. */
export function exceededLimits(counts: Counts, limits: Counts): string[] {
  return PROSE_KINDS.filter((kind) => counts[kind] > limits[kind]).map((kind) =>
    `${kind}: ${counts[kind]} violations, limit ${limits[kind]}; see them with ` +
    "scripts/check_prose.ts --list and rewrite the new ones"
  );
}

/** Returns the limits after `--lower`: no limit rises. */
export function loweredLimits(counts: Counts, limits: Counts): Counts {
  return byKind((kind) => Math.min(counts[kind], limits[kind]));
}

function byKind(count: (kind: ProseKind) => number): Counts {
  return Object.fromEntries(PROSE_KINDS.map((kind) => [kind, count(kind)])) as Counts;
}

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: { "list": { type: "boolean" }, "lower": { type: "boolean" } },
  });
  const found = (await proseTexts(ROOT)).flatMap((text) =>
    proseFaults(text).map((fault): ProseFault & ProseText => ({ ...text, ...fault }))
  );
  if (values.list === true) {
    for (const { file, line, kind, rule, write, found: words } of found) {
      console.log(`${file}:${line}: ${kind}: [${rule}] "${words}" -> ${write}`);
    }
  }
  const counts = byKind((kind) => found.filter((fault) => fault.kind === kind).length);
  const limits = JSON.parse(await Deno.readTextFile(LIMITS)) as Counts;
  for (const kind of PROSE_KINDS) console.log(`${kind}: ${counts[kind]} of ${limits[kind]}`);
  if (values.lower === true) {
    const lowered = loweredLimits(counts, limits);
    await Deno.writeTextFile(LIMITS, `${JSON.stringify(lowered, undefined, 2)}\n`);
  }
  const errors = exceededLimits(counts, limits);
  for (const error of errors) console.error(error);
  return errors.length === 0 ? 0 : 1;
}

if (import.meta.main) Deno.exit(await main());
