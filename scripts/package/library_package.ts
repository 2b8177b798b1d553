import { unpackTar } from "modern-tar";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import denoConfig from "../../deno.json" with { type: "json" };
import { bundle } from "../compile/bundle.ts";
import type { ArchiveEntry } from "../release/archive_entry.ts";
import { programOutput } from "../process/program_output.ts";
import { tarball, tarballName } from "./npm_packages.ts";
import { type PackageSource, PRODUCT } from "./product.ts";

/** Name of the library's tarball. */
export function libraryName(version: string): string {
  return tarballName(denoConfig.name, version);
}

/**
 * The library as a package of npm: bundled code without dependencies, and its types. `profile` needs
 * Deno, everything else runs on Node and Bun as well.
 * @param root folder of the checkout
 * @throws {Error} with what Deno says if it cannot make the types
 */
export async function libraryTarball(root: string, source: PackageSource): Promise<Uint8Array> {
  const work = await Deno.realPath(await Deno.makeTempDir({ prefix: "inferometer-library-" }));
  try {
    const { folder, files } = await bundle(root, work, source.stamp, { entries: ["mod.ts"] });
    const entries: ArchiveEntry[] = [];
    for (const name of files) {
      const bytes = await Deno.readFile(join(folder, name));
      entries.push({ path: name, bytes, isExecutable: false });
    }
    entries.push(...await typeFiles(root, work), {
      path: "README.md",
      bytes: await Deno.readFile(join(root, "docs/library.md")),
      isExecutable: false,
    });
    const manifest = {
      "name": denoConfig.name,
      "version": source.stamp.version,
      "description": `${PRODUCT.summary}, as a library`,
      "license": PRODUCT.license,
      "author": PRODUCT.author,
      "homepage": PRODUCT.homepage,
      "repository": { "type": "git", "url": `git+${PRODUCT.homepage}.git` },
      "keywords": PRODUCT.keywords,
      "type": "module",
      "sideEffects": false,
      "exports": { ".": { "types": "./mod.d.ts", "default": "./mod.js" } },
      "types": "./mod.d.ts",
      "engines": { "node": ">=24", "deno": ">=2.6.0", "bun": ">=1.3.0" },
    };
    return tarball(manifest, source, entries);
  } finally {
    await Deno.remove(work, { recursive: true });
  }
}

/** The declarations of all that the library exports. */
async function typeFiles(root: string, work: string): Promise<ArchiveEntry[]> {
  const packed = join(work, "types.tgz");
  const args = ["pack", "--quiet", "--allow-dirty", "--no-source-maps", "--output", packed];
  await programOutput(Deno.execPath(), args, { cwd: root });
  const files = await unpackTar(gunzipSync(await Deno.readFile(packed)));
  return files.filter(({ header: { name } }) => name.endsWith(".d.ts"))
    .map(({ header, data }) => ({
      path: header.name.replace(/^package\//, ""),
      bytes: data ?? new Uint8Array(0),
      isExecutable: false,
    }))
    .sort((a, b) => a.path < b.path ? -1 : 1);
}
