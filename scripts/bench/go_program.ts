import { programOutput } from "../process/program_output.ts";

/**
 * Builds a Go program.
 * @param folder where it is built, in a folder of its name
 * @param source its only file
 * @param modules what it needs, with versions
 * @returns the program's path
 */
export async function buildGoProgram(
  folder: string,
  name: string,
  source: string,
  modules: readonly string[],
): Promise<string> {
  const cwd = `${folder}/${name}`;
  await Deno.mkdir(cwd);
  await Deno.writeTextFile(`${cwd}/main.go`, source);
  for (
    const args of [
      ["mod", "init", name],
      ["get", ...modules],
      // What only tests of the modules need may be missing.
      ["mod", "tidy", "-e"],
      ["build", "-mod=mod", "-o", name, "."],
    ]
  ) {
    await programOutput("go", args, { cwd });
  }
  return `${cwd}/${name}`;
}
