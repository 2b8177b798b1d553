/**
 * Every way of installing, tried with the tools that people have: what is packed is put into a clean
 * place and run from there.
 */

import { join } from "node:path";
import { type CompileTarget, hostTarget, targetsOf } from "../compile/targets.ts";
import { greetedUrl, startGreetingProcess } from "../process/greeting_process.ts";
import { programOutput } from "../process/program_output.ts";
import { archiveName } from "../release/assets.ts";
import { smoke } from "../release/smoke.ts";
import { debName } from "./deb.ts";
import { libraryName } from "./library_package.ts";
import { platformPackage, tarballName } from "./npm_packages.ts";
import { imageName } from "./oci_image.ts";
import { PRODUCT } from "./product.ts";
import { wheelName } from "./wheel.ts";

/** What an install is tried with. */
export interface InstallContext {
  /** Folder with everything that was packed. */
  readonly dist: string;
  readonly version: string;
  /** An empty folder of this install alone. */
  readonly work: string;
}

/** A way of installing. */
export interface Install {
  readonly name: string;
  /** Programs that it takes; where one is missing, it is skipped, and that is said. */
  readonly needs: readonly string[];
  readonly needsRoot?: boolean;
  /** Installs and tries; returns what is to be told. */
  try(context: InstallContext): Promise<string>;
}

const [HOST] = targetsOf([hostTarget()]) as [CompileTarget];

/** The ways of installing, all of them. */
export const INSTALLS: readonly Install[] = [
  {
    name: "tar.gz",
    needs: ["tar"],
    async try({ dist, version, work }) {
      await programOutput("tar", ["xzf", join(dist, archiveName(version, HOST)), "-C", work]);
      return await smoke([join(work, PRODUCT.name)]);
    },
  },
  {
    name: "wheel, by pip",
    needs: ["python3"],
    async try({ dist, version, work }) {
      const bin = await makeVenv(work);
      const wheel = join(dist, wheelName(version, HOST));
      await programOutput(join(bin, "pip"), ["install", "--quiet", "--no-index", wheel]);
      const said = await smoke([join(bin, PRODUCT.name)]);
      await programOutput(join(bin, "pip"), ["uninstall", "--quiet", "--yes", PRODUCT.name]);
      const isLeft = await Deno.stat(join(bin, PRODUCT.name)).then(() => true, () => false);
      if (isLeft) throw new Error("It stays after pip uninstall");
      return said;
    },
  },
  {
    name: "wheel, by uvx and twine",
    needs: ["python3"],
    async try({ dist, version, work }) {
      const bin = await makeVenv(work);
      await programOutput(join(bin, "pip"), ["install", "--quiet", "twine", "uv"]);
      const wheels: string[] = [];
      for await (const { name } of Deno.readDir(dist)) {
        if (name.endsWith(".whl")) wheels.push(join(dist, name));
      }
      await programOutput(join(bin, "twine"), ["check", "--strict", ...wheels]);
      const env = { "UV_CACHE_DIR": join(work, "cache") };
      const from = ["--from", join(dist, wheelName(version, HOST)), PRODUCT.name];
      const said = await programOutput(join(bin, "uvx"), [...from, "--version"], { env });
      return same(said.trim(), version);
    },
  },
  {
    name: "npm and npx",
    needs: ["npm", "npx"],
    async try(context) {
      const folder = await installByNpm(context);
      const { version } = context;
      const npx = (args: readonly string[]) =>
        programOutput("npx", ["--no", "--", PRODUCT.name, ...args], { cwd: folder });
      same((await npx(["--version"])).trim(), version);
      const launcher = join(folder, "node_modules", ".bin", PRODUCT.name);
      await endsWithIt(launcher);
      return await smoke([launcher]);
    },
  },
  {
    name: "deno install",
    needs: ["npm"],
    async try(context) {
      const folder = await installByNpm(context);
      const root = join(context.work, "root");
      await programOutput(Deno.execPath(), [
        ...["install", "--quiet", "--global", "--root", root, "--allow-all"],
        ...["--no-config", "--name", PRODUCT.name],
        join(folder, "node_modules", PRODUCT.name, "bin", `${PRODUCT.name}.js`),
      ], { cwd: folder });
      const path = `${Deno.execPath().replace(/\/[^/]*$/, "")}:${Deno.env.get("PATH")}`;
      const program = join(root, "bin", PRODUCT.name);
      return same(
        (await programOutput(program, ["--version"], { env: { "PATH": path } })).trim(),
        context.version,
      );
    },
  },
  {
    name: "deb",
    needs: ["dpkg", "apt-get"],
    needsRoot: true,
    async try({ dist, version }) {
      const before = await Deno.stat(`/usr/bin/${PRODUCT.name}`).catch(() => undefined);
      if (before !== undefined) return `/usr/bin/${PRODUCT.name} is there already: left alone`;
      await programOutput("dpkg", ["--install", join(dist, debName(version, HOST))]);
      try {
        const said = await smoke([`/usr/bin/${PRODUCT.name}`]);
        await programOutput("bash", [
          "-n",
          `/usr/share/bash-completion/completions/${PRODUCT.name}`,
        ]);
        return said;
      } finally {
        await programOutput("dpkg", ["--purge", PRODUCT.name]);
      }
    },
  },
  {
    name: "deb, by lintian",
    needs: ["lintian"],
    async try({ dist, version }) {
      const user = Deno.uid() === 0 ? ["--allow-root"] : [];
      return await programOutput("lintian", [
        ...[...user, "--fail-on", "error,warning", join(dist, debName(version, HOST))],
      ]);
    },
  },
  {
    name: "container image, by runc",
    needs: ["skopeo", "umoci", "runc"],
    needsRoot: true,
    async try({ dist, version, work }) {
      const image = `oci-archive:${join(dist, imageName(version))}:${version}`;
      await programOutput("skopeo", [
        "copy",
        "--quiet",
        image,
        `oci:${join(work, "image")}:${version}`,
      ]);
      const bundle = join(work, "bundle");
      await programOutput("umoci", [
        "unpack",
        "--image",
        `${join(work, "image")}:${version}`,
        bundle,
      ]);
      const results = join(work, "results");
      await Deno.mkdir(results);
      await Deno.chmod(results, 0o777);
      const program = join(bundle, "rootfs/usr/local/bin", PRODUCT.name);
      {
        await using server = await startGreetingProcess(program, ["mock"]);
        const url = greetedUrl(server.greeting);
        await configure(join(bundle, "config.json"), results, [
          ...["profile", "--url", url, "--streaming", "--request-count", "4", "--osl", "8"],
          ...["--artifact-dir", "/work/run"],
        ]);
        await programOutput("runc", ["run", `${PRODUCT.name}-${crypto.randomUUID().slice(0, 8)}`], {
          cwd: bundle,
        });
      }
      const summary = await Deno.readTextFile(join(results, "run/profile_export_aiperf.json"));
      same(String(JSON.parse(summary)["request_count"]["avg"]), "4");
      const { uid } = await Deno.stat(join(results, "run/profile_export_aiperf.json"));
      return `4 requests, with a read-only root, as user ${same(String(uid), "65532")}`;
    },
  },
  {
    name: "library, on Deno, Node 24 and Bun",
    needs: ["npm", "npx"],
    async try(context) {
      const { dist, version, work } = context;
      await Deno.writeTextFile(join(work, "package.json"), '{ "type": "module" }\n');
      await programOutput("npm", [
        ...["install", "--silent", "--no-audit", "--no-fund", "--cache", join(work, "cache")],
        ...[join(dist, "library", libraryName(version)), "typescript@5.9.3", "@types/node@24"],
      ], { cwd: work });
      await Deno.writeTextFile(join(work, "use.ts"), USE_OF_LIBRARY);
      const types = ["--noEmit", "--strict", "--module", "nodenext", "--target", "es2024"];
      await programOutput("npx", ["--no", "--", "tsc", ...types, "use.ts"], { cwd: work });
      const said = [
        await programOutput("npx", ["--yes", "node@24", "use.ts"], { cwd: work }),
        await programOutput("npx", ["--yes", "bun@1.4.5", "use.ts"], { cwd: work }),
        await programOutput(Deno.execPath(), [
          ...["run", "--quiet", "--allow-all", "--unstable-worker-options", "use.ts"],
        ], { cwd: work }),
      ].map((text) => text.trim());
      return said.join("; ");
    },
  },
];

/** A project outside of the repository; `profile` is used where it can be. */
const USE_OF_LIBRARY = `
import {
  EventStreamParser,
  parseExposition,
  percentile,
  profile,
  type ProfileResult,
  readReply,
  summarize,
} from "@inferometer/inferometer";

const values = new Float64Array([3, 1, 2]);
const p50: number = percentile(values.toSorted(), 50);
if (p50 !== 2 || summarize(values).avg !== 2) throw new Error("statistics");
const { families } = parseExposition('# TYPE a counter\\na_total{b="c"} 3\\n');
if (families[0]?.samples[0]?.value !== 3) throw new Error("metrics");
if (typeof EventStreamParser !== "function" || typeof readReply !== "function") {
  throw new Error("readers");
}
const runtime = "Deno" in globalThis ? "Deno" : "Bun" in globalThis ? "Bun" : "Node";
try {
  const result: ProfileResult = await profile({ url: ["http://127.0.0.1:1"], model: "m" });
  throw new Error("a server that is not there served " + result.requests.succeeded);
} catch (error) {
  const { message } = error as Error;
  if (/needs Deno/.test(message) !== (runtime !== "Deno")) throw error;
  console.log(runtime + ": " + message.slice(0, 60));
}
`;

/** Installs both packages into an empty project, with an empty cache. */
async function installByNpm({ dist, version, work }: InstallContext): Promise<string> {
  const folder = join(work, "project");
  await Deno.mkdir(folder);
  await Deno.writeTextFile(join(folder, "package.json"), "{}\n");
  await programOutput("npm", [
    ...["install", "--silent", "--no-audit", "--no-fund", "--cache", join(work, "cache")],
    ...[PRODUCT.name, platformPackage(HOST)].map((name) =>
      join(dist, "npm", tarballName(name, version))
    ),
  ], { cwd: folder });
  return folder;
}

/**
 * Checks that a signal to the launcher ends the program, and that its exit code is the
 * program's.
 */
async function endsWithIt(launcher: string): Promise<void> {
  await using mock = await startGreetingProcess(launcher, ["mock"]);
  const url = greetedUrl(mock.greeting);
  mock.process.kill("SIGTERM");
  const { code } = await mock.process.status;
  const isUp = await fetch(url).then(() => true, () => false);
  if (isUp) throw new Error("The program lives on after its launcher was ended");
  if (code !== 143 && code !== 0) throw new Error(`The launcher ended with ${code}`);
}

async function makeVenv(work: string): Promise<string> {
  await programOutput("python3", ["-m", "venv", join(work, "venv")]);
  return join(work, "venv", "bin");
}

/** A container without a network of its own, whose root is read-only and whose results are ours. */
async function configure(path: string, results: string, args: readonly string[]): Promise<void> {
  const config = JSON.parse(await Deno.readTextFile(path));
  config.process.args = [config.process.args[0], ...args];
  config.process.terminal = false;
  config.root.readonly = true;
  config.mounts.push({
    ...{ destination: "/work", type: "bind", source: results },
    options: ["rbind", "rw"],
  });
  config.linux.namespaces = config.linux.namespaces
    .filter(({ type }: { type: string }) => type !== "network");
  await Deno.writeTextFile(path, JSON.stringify(config));
}

function same(found: string, wanted: string): string {
  if (found !== wanted) throw new Error(`It says ${found} instead of ${wanted}`);
  return found;
}
