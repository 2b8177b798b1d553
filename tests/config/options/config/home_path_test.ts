import assert from "node:assert/strict";
import { readConfigFile } from "../../../../src/config/options/config/config_file.ts";
import { homePath } from "../../../../src/config/options/home_path.ts";
import { specsOf } from "../../../../src/config/options/option.ts";
import { PROFILE_OPTIONS } from "../../../../src/config/options/profile/profile_options.ts";
import { withFolder } from "../../../support/artifacts.ts";

const variable = (name: string): string | undefined => name === "HOME" ? "/home/me/" : undefined;

Deno.test("readConfigFile expands ~ in every option for a file or folder, and in no other", async () => {
  const specs = specsOf(PROFILE_OPTIONS).filter(({ kind, inFile, choices, refused, hidden }) =>
    (kind === "text" || kind === "texts") && inFile !== false && choices === undefined &&
    refused === undefined && hidden === undefined
  );
  const isPath = ({ completes }: (typeof specs)[number]) =>
    completes === "file" || completes === "folder";
  assert.ok(specs.filter(isPath).length > 8);
  assert.ok(specs.filter(isPath).some(({ name }) => name === "gpuTelemetry"), "a .csv of fields");
  await withFolder(async (folder) => {
    for (const spec of specs) {
      if (spec.json || spec.name === "model") continue;
      await Deno.writeTextFile(`${folder}/c.yaml`, `${spec.name}: ~/data/x\n`);
      const { [spec.name]: value } = await readConfigFile(
        `${folder}/c.yaml`,
        PROFILE_OPTIONS,
        variable,
      );
      const expected = isPath(spec) ? "/home/me/data/x" : "~/data/x";
      assert.deepEqual(value, spec.kind === "texts" ? [expected] : expected, spec.name);
    }
  });
});

Deno.test("homePath leaves other users' folders and relative paths unchanged", () => {
  const file = { completes: "file" } as const;
  assert.equal(homePath(file, "~", variable), "/home/me");
  for (const path of ["~you/x", "a/~/x", "./~", "x~", ""]) {
    assert.equal(homePath(file, path, variable), path);
  }
  assert.equal(homePath(file, "~/x", () => undefined), "~/x");
  const windows = (name: string) => name === "USERPROFILE" ? "C:\\Users\\me" : undefined;
  assert.equal(homePath(file, "~\\x", windows), "C:\\Users\\me\\x");
});
