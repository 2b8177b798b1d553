import { dirname, join, relative } from "node:path";
import { isBuiltin } from "node:module";
import { brotliCompressSync } from "node:zlib";
import * as esbuild from "esbuild";
import { programOutput } from "../process/program_output.ts";
import type { BuildStamp } from "./build_stamp.ts";
import { installEnvironment } from "./clean_environment.ts";
import { embeddedName, embeddedUrls, withEmbeddedNames } from "./embedded_urls.ts";

/** Code of another that is in a bundle. */
export interface BundledPackage {
  readonly name: string;
  readonly version: string;
  /** As its own manifest says; undefined if that says nothing. */
  readonly license: string | undefined;
}

/** What bundling gave. */
export interface Bundle {
  readonly folder: string;
  /** Names of the files in it, in order. */
  readonly files: readonly string[];
  /** By name and version. */
  readonly packages: readonly BundledPackage[];
  /** Bytes by what they are of: a room of the sources, a package, a file of data; largest first. */
  readonly parts: readonly (readonly [name: string, bytes: number])[];
}

/** Settings of {@linkcode bundle}. */
export interface BundleOptions {
  /** Paths of first modules in the checkout. @default ["src/main.ts"] */
  readonly entries?: readonly string[];
  /** Folders of the checkout whose code, threads and data are bundled besides `src`. @default [] */
  readonly folders?: readonly string[];
  /** Whether data is compressed: a third of its size, for 40 ms at each start. @default true */
  readonly packsData?: boolean;
}

/**
 * Bundles the sources of a checkout into one folder: the entry, the code of each thread, parts that
 * are loaded when they are needed, and data. Nothing else lies there: `deno compile` would embed a
 * whole `node_modules` that it finds.
 * @param root folder of the checkout
 * @param work an empty folder to work in
 */
export async function bundle(
  root: string,
  work: string,
  stamp: BuildStamp,
  { entries = ["src/main.ts"], folders = [], packsData = true }: BundleOptions = {},
): Promise<Bundle> {
  const folder = join(work, "bundle");
  // A copy, so that no path in the bundle tells where the checkout lies.
  const sources = ["src", ...folders].map((name) => join(work, name));
  for (const path of sources) await copyFolder(join(root, relative(work, path)), path);
  await installPackages(root, work);
  const threads: string[] = [];
  const data: string[] = [];
  for (const path of sources) {
    const urls = await embeddedUrls(path);
    threads.push(...urls.threads.map((name) => join(path, name)));
    data.push(...urls.data.map((name) => join(path, name)));
  }
  for (const entry of entries.map((entry) => join(work, entry))) {
    if (sources.some((path) => entry.startsWith(path))) continue;
    await Deno.mkdir(dirname(entry), { recursive: true });
    await Deno.copyFile(join(root, relative(work, entry)), entry);
  }
  const { metafile } = await esbuild.build({
    absWorkingDir: work,
    entryPoints: [
      ...entries.map((entry) => join(work, entry)),
      ...threads,
    ],
    metafile: true,
    outdir: folder,
    entryNames: "[name]",
    chunkNames: "[name]-[hash]",
    bundle: true,
    splitting: true,
    format: "esm",
    target: "esnext",
    platform: "neutral",
    mainFields: ["module", "main"],
    conditions: ["import", "deno"],
    external: ["node:*"],
    // Names stay: the trace of a defect must be readable.
    minifyWhitespace: true,
    minifySyntax: true,
    legalComments: "none",
    logLevel: "warning",
    plugins: [
      ...[
        ownSources(sources, stamp, packsData),
        lockedPackages(),
        unusedModules(),
        builtinModules(),
        oneLanguage(),
      ],
      shortNames(),
    ],
  });
  await esbuild.stop();
  const sizes = codeSizes(metafile);
  for (const path of data) {
    const bytes = await Deno.readFile(path);
    // Half a megabyte smaller than gzip makes it.
    const kept = packsData ? brotliCompressSync(bytes) : bytes;
    await Deno.writeFile(join(folder, embeddedName(path, packsData)), kept);
    sizes.set(`data: ${relative(join(work, "src"), path)}`, kept.length);
  }
  const files: string[] = [];
  for await (const { name } of Deno.readDir(folder)) {
    files.push(name);
    // The executable tells it of every file.
    await Deno.utime(join(folder, name), new Date(stamp.date), new Date(stamp.date));
  }
  const packages = await bundledPackages(work, Object.keys(metafile.inputs));
  const parts = [...sizes].sort(([, a], [, b]) => b - a);
  return { folder, files: files.sort(), packages, parts };
}

/** Bytes of code by where it comes from. */
function codeSizes({ outputs }: esbuild.Metafile): Map<string, number> {
  const sizes = new Map<string, number>();
  for (const { inputs, bytes } of Object.values(outputs)) {
    let joints = bytes;
    for (const [path, { bytesInOutput }] of Object.entries(inputs)) {
      const name = /^.*node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1];
      const part = name === undefined
        ? `own code: ${/src\/([^/]+(?:\/[^/]+)?)\//.exec(path)?.[1] ?? "entry"}`
        : `package: ${name}`;
      sizes.set(part, (sizes.get(part) ?? 0) + bytesInOutput);
      joints -= bytesInOutput;
    }
    sizes.set("imports and exports", (sizes.get("imports and exports") ?? 0) + joints);
  }
  return sizes;
}

/** The packages that modules belong to. */
async function bundledPackages(
  work: string,
  modules: readonly string[],
): Promise<BundledPackage[]> {
  const folders = new Set<string>();
  for (const path of modules) {
    const folder = /^.*node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(path)?.[0];
    if (folder !== undefined) folders.add(folder);
  }
  const found = new Map<string, BundledPackage>();
  for (const folder of folders) {
    const { name, version, license } = JSON.parse(
      await Deno.readTextFile(join(work, folder, "package.json")),
    );
    found.set(`${name}@${version}`, { name, version, license });
  }
  return [...found].sort(([a], [b]) => a < b ? -1 : 1).map(([, found]) => found);
}

/** The sources with the URLs and the build stamp of an executable. */
function ownSources(
  sources: readonly string[],
  { version, commit, date }: BuildStamp,
  packsData: boolean,
): esbuild.Plugin {
  return {
    name: "own-sources",
    setup(build) {
      build.onResolve({ filter: /\/deno\.json$/ }, () => ({ path: "deno", namespace: "stamp" }));
      build.onResolve({ filter: /\/build\.json$/ }, () => ({ path: "build", namespace: "stamp" }));
      build.onLoad({ filter: /.*/, namespace: "stamp" }, ({ path }) => ({
        contents: JSON.stringify(path === "deno" ? { version } : { commit, date }),
        loader: "json",
      }));
      build.onLoad({ filter: /\.ts$/ }, async ({ path }) => {
        if (!sources.some((folder) => path.startsWith(folder))) return undefined;
        const text = withEmbeddedNames(await Deno.readTextFile(path), packsData);
        return { contents: text, loader: "ts" };
      });
    },
  };
}

/** Sources name packages with their versions (`npm:zod@4.6.7`), which the lock file pins already. */
function lockedPackages(): esbuild.Plugin {
  return {
    name: "locked-packages",
    setup(build) {
      build.onResolve({ filter: /^npm:/ }, ({ path, ...from }) => {
        const name = path.replace(/^npm:(@[^/]+\/[^@/]+|[^@/]+)@[^/]+/, "$1");
        return build.resolve(name, { resolveDir: from.resolveDir, kind: from.kind });
      });
    },
  };
}

/** Old packages name the runtime's modules without `node:`, and ask for them by `require`. */
function builtinModules(): esbuild.Plugin {
  return {
    name: "builtin-modules",
    setup(build) {
      build.onResolve(
        { filter: /^[a-z_/]+$/ },
        ({ path }) => isBuiltin(path) ? { path, namespace: "builtin" } : undefined,
      );
      build.onLoad({ filter: /.*/, namespace: "builtin" }, ({ path }) => ({
        contents: `export * from "node:${path}"; export { default } from "node:${path}";`,
      }));
    },
  };
}

/**
 * The command line's library loads these for commands that are programs of their own, which ours are
 * not; to load them takes 20 ms at each start.
 */
function unusedModules(): esbuild.Plugin {
  return {
    name: "unused-modules",
    setup(build) {
      build.onResolve(
        { filter: /^node:(?:child_process|fs)$/ },
        ({ importer, path }) =>
          /[\\/]commander[\\/]/.test(importer) ? { path, namespace: "unused" } : undefined,
      );
      build.onLoad({ filter: /.*/, namespace: "unused" }, () => ({
        contents: "export default {};",
      }));
    },
  };
}

/** Of the fifty languages in which zod words its messages, one is used: half a megabyte less. */
function oneLanguage(): esbuild.Plugin {
  return {
    name: "one-language",
    setup(build) {
      build.onLoad({ filter: /[\\/]zod[\\/]v4[\\/]locales[\\/]index\.js$/ }, () => ({
        contents: 'export { default as en } from "./en.js";',
      }));
    },
  };
}

/** Names inside of packages are cut short; our own stay, for the sake of traces of our defects. */
function shortNames(): esbuild.Plugin {
  return {
    name: "short-names",
    setup(build) {
      build.onLoad({ filter: /[\\/]node_modules[\\/].*\.[cm]?js$/ }, async ({ path }) => {
        const { code } = await esbuild.transform(await Deno.readTextFile(path), {
          minifyIdentifiers: true,
          logLevel: "silent",
        });
        return { contents: code };
      });
    },
  };
}

/** Puts the locked packages where the bundler looks for them. */
async function installPackages(root: string, work: string): Promise<void> {
  const config = JSON.parse(await Deno.readTextFile(join(root, "deno.json")));
  await Deno.writeTextFile(
    join(work, "deno.json"),
    JSON.stringify({ "imports": config.imports, "lock": config.lock, "nodeModulesDir": "auto" }),
  );
  await Deno.copyFile(join(root, "deno.lock"), join(work, "deno.lock"));
  await programOutput(Deno.execPath(), ["install", "--quiet", "--frozen"], {
    cwd: work,
    clearEnv: true,
    env: installEnvironment(),
  });
}

async function copyFolder(from: string, to: string): Promise<void> {
  await Deno.mkdir(to, { recursive: true });
  for await (const { name, isDirectory } of Deno.readDir(from)) {
    if (isDirectory) await copyFolder(join(from, name), join(to, name));
    else await Deno.copyFile(join(from, name), join(to, name));
  }
}
