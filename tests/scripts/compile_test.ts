import assert from "node:assert/strict";
import { readdir } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import {
  embeddedName,
  embeddedUrls,
  withEmbeddedNames,
} from "../../scripts/compile/embedded_urls.ts";
import { elfNeeds, glibcNeeded } from "../../scripts/compile/elf_needs.ts";
import { RUNTIME_FLAGS } from "../../scripts/compile/runtime_flags.ts";
import { cleanEnvironment } from "../../scripts/compile/clean_environment.ts";
import { withFolder } from "../support/artifacts.ts";

const SOURCES = fileURLToPath(new URL("../../src/", import.meta.url));
const ME = "import.meta.url";

Deno.test("embeddedUrls finds every thread's code and all data of the sources", async () => {
  const { threads, data } = await embeddedUrls(SOURCES);
  const posting: string[] = [];
  for (const path of await readdir(SOURCES, { recursive: true })) {
    if (!path.endsWith(".ts")) continue;
    const text = await Deno.readTextFile(`${SOURCES}${path}`);
    // Code that a thread begins with takes its orders from the scope of a worker.
    if (/^(const scope|scope\.onmessage)\b/m.test(text)) posting.push(path);
  }
  assert.deepEqual(threads, posting.sort());
  assert.ok(threads.includes("load/worker/load_thread.ts"));
  assert.deepEqual(data, [
    "cli/commands/licenses.txt",
    ...["core/chart/png/font.ttf", "core/chart/png/resvg.wasm"],
    ...["load/dataset/corpus/code_corpus.bin", "load/dataset/corpus/code_corpus.txt"],
    ...["load/dataset/corpus/corpus.bin", "load/dataset/corpus/corpus.txt"],
    "load/dataset/tokenizers/o200k_base.bin",
  ]);
});

Deno.test("embeddedUrls refuses what an executable would miss", async () => {
  const cases: readonly (readonly [string, RegExp])[] = [
    [`new URL("./none.ts", ${ME})`, /names \.\/none\.ts, which is no file/],
    [`new URL("./sub", ${ME})`, /names \.\/sub, which is no file/],
    [`new URL(name, ${ME})`, /uses import\.meta other than/],
    ["import.meta.dirname", /uses import\.meta other than/],
    [`new URL("./a.txt", ${ME}); new URL("./sub/a.txt", ${ME})`, /have the name a\.txt/],
  ];
  for (const [source, message] of cases) {
    await withFolder(async (folder) => {
      await Deno.mkdir(`${folder}/sub`);
      await Deno.writeTextFile(`${folder}/a.txt`, "");
      await Deno.writeTextFile(`${folder}/sub/a.txt`, "");
      await Deno.writeTextFile(`${folder}/x.ts`, source);
      await assert.rejects(() => embeddedUrls(folder), message);
    });
  }
});

Deno.test("withEmbeddedNames has every file lie in one folder", () => {
  assert.equal(
    withEmbeddedNames(`a(new URL("../load/w.ts", ${ME}), new URL(\n  "./t.bin",\n  ${ME},\n));`),
    `a(new URL("./w.js", ${ME}), new URL("./t.bin.br", ${ME}));`,
  );
});

Deno.test("embeddedName gives data a name that no compiler reads as a module", () => {
  assert.equal(embeddedName("core/chart/png/resvg.wasm"), "resvg.wasm.br");
  assert.equal(embeddedName("load/worker/load_thread.ts"), "load_thread.js");
});

Deno.test("embeddedName and withEmbeddedNames leave the names of data that is not packed", () => {
  assert.equal(embeddedName("core/chart/png/resvg.wasm", false), "resvg.wasm");
  assert.equal(embeddedName("load/worker/load_thread.ts", false), "load_thread.js");
  assert.equal(
    withEmbeddedNames(`new URL("../load/t.bin", ${ME})`, false),
    `new URL("./t.bin", ${ME})`,
  );
});

Deno.test("the executable is never given programs, libraries, imports, or all of anything else", () => {
  for (const flag of ["--allow-all", "-A", "--allow-run", "--allow-ffi", "--allow-import"]) {
    assert.ok(!RUNTIME_FLAGS.some((given) => given.startsWith(flag)), flag);
  }
  for (const flag of ["--no-prompt", "--ignore-env", "--deny-import", "--no-code-cache"]) {
    assert.ok(RUNTIME_FLAGS.includes(flag), flag);
  }
  assert.ok(!RUNTIME_FLAGS.includes("--allow-env") && !RUNTIME_FLAGS.includes("--allow-sys"));
});

Deno.test("cleanEnvironment keeps back what a compiler would bake in", () => {
  const names = ["OTEL_DENO", "OTEL_EXPORTER_OTLP_ENDPOINT", "DENO_V8_FLAGS", "DENO_CERT"];
  const before = names.map((name) => [name, Deno.env.get(name)] as const);
  try {
    for (const name of names) Deno.env.set(name, "x");
    const environment = cleanEnvironment({ "DENORT_BIN": "y" });
    for (const name of names) assert.ok(!(name in environment), name);
    assert.equal(environment["DENORT_BIN"], "y");
    assert.equal(environment["PATH"], Deno.env.get("PATH"));
  } finally {
    for (const [name, value] of before) {
      if (value === undefined) Deno.env.delete(name);
      else Deno.env.set(name, value);
    }
  }
});

Deno.test({
  name: "elfNeeds reads the libraries of an executable",
  ignore: Deno.build.os !== "linux",
  async fn() {
    const needs = elfNeeds(await Deno.readFile(Deno.execPath()));
    const libc = needs.find(({ library }) => library === "libc.so.6");
    assert.ok(libc?.versions.some((version) => /^GLIBC_2\.\d+/.test(version)));
    assert.match(glibcNeeded(needs) ?? "", /^2\.\d+$/);
  },
});

Deno.test("glibcNeeded compares versions by their numbers", () => {
  const versions = ["GLIBC_2.9", "GLIBC_2.27", "GLIBC_2.2.5", "GCC_4.0.0", "GLIBC_2.3.4"];
  assert.equal(glibcNeeded([{ library: "a", versions }]), "2.27");
  assert.equal(glibcNeeded([{ library: "a", versions: ["GCC_3.0"] }]), undefined);
});

Deno.test("elfNeeds refuses what is no ELF file", () => {
  assert.throws(() => elfNeeds(new Uint8Array(100)), SyntaxError);
  assert.throws(() => elfNeeds(new TextEncoder().encode("\x7fELF")), SyntaxError);
});
