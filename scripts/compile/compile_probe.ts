import { buildStamp } from "./build_stamp.ts";
import { bundle } from "./bundle.ts";
import { compileExecutable, type CompileOptions } from "./compile_executable.ts";

const FOLDER = "scripts/confinement";

/**
 * Makes an executable of the confinement probe as the product's is made: with the same bundler, the
 * same flags, and the same functions that confine threads.
 * @param root folder of the checkout
 * @throws {CompileError} with what Deno reports about it
 */
export async function compileProbe(
  root: string,
  { target, compiler, output }: Pick<CompileOptions, "target" | "compiler" | "output">,
): Promise<void> {
  const work = await Deno.realPath(await Deno.makeTempDir({ prefix: "inferometer-probe-" }));
  try {
    const stamp = await buildStamp(root);
    const options = { entries: [`${FOLDER}/main.ts`], folders: [FOLDER] };
    const { folder, files } = await bundle(root, work, stamp, options);
    await compileExecutable({ target, folder, files, compiler, output });
  } finally {
    await Deno.remove(work, { recursive: true });
  }
}
