import assert from "node:assert/strict";
import { releaseFolder } from "../../../src/report/export/folder_claim.ts";
import { prepareOutput, type WantedFolder } from "../../../src/run/runner/prepare_output.ts";
import { withFolder } from "../../support/artifacts.ts";

const SUMMARY = "profile_export_aiperf.json";

function wanted(directory: string, existing: WantedFolder["existing"] = "replace"): WantedFolder {
  return { directory, existing, prefix: undefined };
}

function namesIn(folder: string): string[] {
  return [...Deno.readDirSync(folder)].map(({ name }) => name).sort();
}

/** Names of the folders that runs get, one after another. */
async function taken(outputs: readonly WantedFolder[], parent: string): Promise<string[]> {
  const names: string[] = [];
  const root = await Deno.realPath(parent);
  for (const output of outputs) {
    const { path, begin } = await prepareOutput(output);
    await begin();
    await releaseFolder(path);
    await Deno.writeTextFile(`${path}/${SUMMARY}`, "{}");
    names.push(path.slice(root.length + 1));
  }
  return names;
}

Deno.test("prepareOutput gives every run that begins at the same moment a folder of its own", async (t) => {
  for (const existing of ["number", "replace"] as const) {
    for (const before of ["nothing", "an empty folder", "a finished run"]) {
      await t.step(`${existing}, ${before}`, () =>
        withFolder(async (parent) => {
          const directory = `${parent}/run`;
          if (before !== "nothing") await Deno.mkdir(directory);
          if (before === "a finished run") {
            await Deno.writeTextFile(`${directory}/${SUMMARY}`, "{}");
          }
          const folders = await Promise.all(
            Array.from({ length: 8 }, () => prepareOutput(wanted(directory, existing))),
          );
          assert.equal(new Set(folders.map(({ path }) => path)).size, 8);
          const isFirstTaken = existing === "number" && before === "a finished run";
          assert.equal(
            folders.some(({ path }) => path.endsWith("/run")),
            !isFirstTaken,
          );
        }));
    }
  }
});

Deno.test("prepareOutput replaces a finished run in the folder that was named, and no other", () =>
  withFolder(async (parent) => {
    const directory = `${parent}/run`;
    assert.deepEqual(
      await taken([wanted(directory), wanted(`${directory}//`), wanted(directory)], parent),
      ["run", "run", "run"],
    );
    const prefixed = { ...wanted(directory), prefix: "other" };
    assert.deepEqual(await taken([prefixed, prefixed], parent), ["run-2", "run-3"]);
    assert.deepEqual(await taken([wanted(directory, "number")], parent), ["run-4"]);
  }));

Deno.test("prepareOutput removes a run's files once it begins, and leaves what is not a run's", () =>
  withFolder(async (folder) => {
    await Deno.mkdir(`${folder}/run`);
    await Deno.mkdir(`${folder}/profile_export_raw`);
    await Deno.mkdir(`${folder}/plots`);
    const ours = [
      ...[SUMMARY, "profile_export.jsonl", "profile_export_raw.jsonl", "run/run.json"],
      ...["run/records.bin", "server_metrics_export.parquet"],
      ...["plots/errors.svg", "plots/time-in-flight.png", "plots/time-share-client.svg"],
    ];
    const foreign = [
      "inputs.json",
      "notes.txt",
      "profile_export_raw/x",
      "run/mine",
      "plots/my.svg",
    ];
    for (const name of [...ours, ...foreign]) await Deno.writeTextFile(`${folder}/${name}`, "x");
    const { path, begin } = await prepareOutput(wanted(folder));
    assert.ok(namesIn(folder).includes(SUMMARY), "it is still there should the run not begin");
    await begin();
    await releaseFolder(path);
    for (const name of foreign) assert.equal(await Deno.readTextFile(`${folder}/${name}`), "x");
    const left = ["inputs.json", "notes.txt", "plots", "profile_export_raw", "run"];
    assert.deepEqual(namesIn(folder), left);
    assert.deepEqual(namesIn(`${folder}/run`), ["mine"]);
    assert.deepEqual(namesIn(`${folder}/plots`), ["my.svg"]);
    // Without a summary it is nobody's finished run any more.
    assert.match((await prepareOutput(wanted(folder))).path, /-2$/);
    await Deno.remove(`${folder}-2`, { recursive: true });
  }));

Deno.test("prepareOutput takes no folder for a finished run's whose summary is none", () =>
  withFolder(async (parent) => {
    const directory = `${parent}/run`;
    await Deno.mkdir(`${directory}/${SUMMARY}`, { recursive: true });
    assert.match((await prepareOutput(wanted(directory))).path, /run-2$/);
  }));

/** Claims a folder in a process of its own, which goes on until it is killed. */
const CLAIMANT = `
  import { claimFolder } from "${new URL(
  "../../../src/report/export/folder_claim.ts",
  import.meta.url,
)}";
  if (await claimFolder(Deno.args[0])) console.log("claimed");
  setInterval(() => {}, 1e6);
`;

Deno.test("prepareOutput takes the claim of a process that was killed, and of no other", {
  // Runtimes before 2.7 cannot look for a lock; a claim then holds until `report` takes it away.
  ignore: !("tryLock" in Deno.FsFile.prototype),
}, () =>
  withFolder(async (parent) => {
    const directory = `${await Deno.realPath(parent)}/run`;
    const summary = `${directory}/${SUMMARY}`;
    await Deno.mkdir(directory);
    await Deno.writeTextFile(summary, "{}");
    const child = new Deno.Command(Deno.execPath(), {
      args: ["run", "--quiet", "--no-check", "--allow-all", "-", directory],
      stdin: "piped",
      stdout: "piped",
    }).spawn();
    try {
      const input = child.stdin.getWriter();
      await input.write(new TextEncoder().encode(CLAIMANT));
      await input.close();
      const { value } = await child.stdout.getReader().read();
      assert.equal(new TextDecoder().decode(value), "claimed\n");
      const beside = await prepareOutput(wanted(directory));
      assert.equal(beside.path, `${directory}-2`, "it is alive");
      await releaseFolder(beside.path);
    } finally {
      child.kill("SIGKILL");
      await child.status;
    }
    const folders = await Promise.all([1, 2, 3].map(() => prepareOutput(wanted(directory))));
    const paths = folders.map(({ path }) => path).sort();
    assert.deepEqual(paths, [directory, `${directory}-2`, `${directory}-3`]);
    for (const path of paths) await releaseFolder(path);
    assert.deepEqual(namesIn(directory), [SUMMARY]);
  }));

Deno.test("prepareOutput keeps room in a file of its own, never through a link", {
  ignore: Deno.build.os === "windows",
}, () =>
  withFolder(async (parent) => {
    await Deno.writeTextFile(`${parent}/precious`, "x");
    await Deno.mkdir(`${parent}/run`);
    await Deno.symlink(`${parent}/precious`, `${parent}/run/.inferometer-room`);
    const { path, begin } = await prepareOutput(wanted(`${parent}/run`));
    await begin();
    assert.ok((await Deno.lstat(`${path}/.inferometer-room`)).size > 30_000);
    assert.equal(await Deno.readTextFile(`${parent}/precious`), "x");
    await releaseFolder(path);
    assert.deepEqual(namesIn(path), []);
  }));
