import assert from "node:assert/strict";
import { testBatches } from "../../scripts/test.ts";

const TESTS = new URL("../", import.meta.url).pathname;

/** Files of tests, found in another way than the script does. */
async function filesOnDisk(): Promise<string[]> {
  const args = [TESTS, "-name", "*_test.ts", "-printf", "%P\\n"];
  const { stdout } = await new Deno.Command("find", { args }).output();
  return new TextDecoder().decode(stdout).trim().split("\n").sort();
}

function startsProgram(file: string): boolean {
  return /\/run_cli\.ts"/.test(Deno.readTextFileSync(TESTS + file));
}

Deno.test({
  name: "testBatches have every file of tests once",
  ignore: Deno.build.os !== "linux",
  async fn() {
    const files = (await testBatches()).flatMap(({ files }) => files);
    assert.deepEqual(files.sort(), await filesOnDisk());
  },
});

Deno.test("testBatches part the tests of the whole program from those of its parts", async () => {
  const isOfProgram = (file: string): boolean => /^(docs|e2e)\//.test(file);
  const e2e = (await testBatches(["e2e"])).flatMap(({ files }) => files);
  const unit = (await testBatches(["unit"])).flatMap(({ files }) => files);
  assert.ok(e2e.length > 0 && e2e.every(isOfProgram));
  assert.ok(unit.length > 0 && !unit.some(isOfProgram));
});

Deno.test("testBatches have the tests of parts that start the program in one, and others in all", async () => {
  const batches = await testBatches(["unit"]);
  const starting = batches.filter(({ files }) => files.some(startsProgram));
  assert.equal(starting.length, 1);
  assert.ok(batches.length > 1);
});

Deno.test("testBatches of a kind come from the largest, and differ by at most a share", async () => {
  for (const kind of ["e2e", "unit"] as const) {
    const batches = await testBatches([kind]);
    const sizes = batches.map(({ files }) =>
      files.map((file) => Deno.readTextFileSync(TESTS + file).length)
    );
    const sums = sizes.map((of) => of.reduce((sum, size) => sum + size, 0));
    assert.deepEqual(sums, batches.map(({ bytes }) => bytes));
    assert.deepEqual(sums, sums.toSorted((a, b) => b - a));
    assert.ok(batches.length > Math.min(navigator.hardwareConcurrency, 32), kind);
    // A batch of several shares was the smallest one before its last share joined it.
    const smallest = sums.at(-1) as number;
    for (const [index, batch] of batches.entries()) {
      if (batch.files.some((file) => kind === "unit" && startsProgram(file))) continue;
      const last = Math.min(...sizes[index] as number[]);
      assert.ok((sums[index] as number) - last <= smallest, batch.name);
    }
  }
});

Deno.test("a word that is no kind of tests is refused in a line", async () => {
  const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "--allow-all", "--quiet", "scripts/test.ts", "units", "--list"],
    cwd: new URL("../../", import.meta.url).pathname,
    env: { "NO_COLOR": "1" },
  }).output();
  assert.equal(
    new TextDecoder().decode(stderr),
    'error: "units" is no kind of tests: expected e2e or unit\n',
  );
  assert.deepEqual([code, stdout.length], [2, 0]);
});
