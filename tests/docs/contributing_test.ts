/** What CONTRIBUTING.md says of the checkout is true. */

import assert from "node:assert/strict";

const ROOT = new URL("../../", import.meta.url);
const text = await Deno.readTextFile(new URL("docs/CONTRIBUTING.md", ROOT));

Deno.test("CONTRIBUTING.md names files and folders that there are", async () => {
  const paths = [
    ...text.matchAll(/`((?:src|tests|scripts|fixtures|docs|\.ci)\/[\w./]*|[\w]+\.md)`/g),
  ]
    .map(([, path]) => path as string);
  assert.ok(paths.length > 20, "the pattern finds nothing");
  for (const path of paths) await Deno.stat(new URL(path, ROOT));
});

Deno.test("CONTRIBUTING.md names every wing, and no other", async () => {
  const wings: string[] = [];
  for await (const { name, isDirectory } of Deno.readDir(new URL("src/", ROOT))) {
    if (isDirectory) wings.push(name);
  }
  const section = text.slice(text.indexOf("| wing"), text.indexOf("**Threads.**"));
  const named = [...section.matchAll(/^\| `(\w+)`/gm)].map(([, wing]) => wing as string);
  assert.deepEqual(named.toSorted(), wings.toSorted());
});

Deno.test("CONTRIBUTING.md names tasks that there are", async () => {
  const { tasks } = JSON.parse(await Deno.readTextFile(new URL("deno.json", ROOT)));
  const named = [...text.matchAll(/deno(?:@[\d.]+)? task (\w+)/g)].map(([, task]) =>
    task as string
  );
  assert.ok(named.length >= 4);
  for (const task of named) assert.ok(task in tasks, task);
});
