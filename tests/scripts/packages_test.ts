import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { gunzipSync } from "node:zlib";
import { unzipSync } from "fflate";
import { unpackTar } from "modern-tar";
import { type CompileTarget, TARGETS, targetsOf } from "../../scripts/compile/targets.ts";
import { debName, debPackage } from "../../scripts/package/deb.ts";
import { manualPage } from "../../scripts/package/manual_page.ts";
import {
  platformPackage,
  platformTarball,
  rootTarball,
  tarballName,
} from "../../scripts/package/npm_packages.ts";
import type { PackageSource } from "../../scripts/package/product.ts";
import { provenance } from "../../scripts/package/provenance.ts";
import { sbom } from "../../scripts/package/sbom.ts";
import { wheel, wheelName } from "../../scripts/package/wheel.ts";
import { textEntry } from "../../scripts/release/archive_entry.ts";
import { tarArchive } from "../../scripts/release/tar_archive.ts";

const SOURCE: PackageSource = {
  stamp: { version: "1.2.0", commit: "a".repeat(40), date: "2026-11-22T10:00:00Z" },
  readme: "# inferometer\n\nWhat it is: ü.\n",
  license: "license\n",
  notices: "licenses of others\n",
  changelog: "",
};
const PROGRAM = new TextEncoder().encode("a program");
const [LINUX, WINDOWS] = targetsOf(["linux-arm64", "windows-x64"]) as [
  CompileTarget,
  CompileTarget,
];
const decoder = new TextDecoder();

async function tarFiles(bytes: Uint8Array) {
  const entries = await unpackTar(gunzipSync(bytes));
  return new Map(entries.map((entry) => [entry.header.name, entry]));
}

Deno.test("wheel holds the executable as a script, and a record of every file", () => {
  assert.equal(
    wheelName("1.2.0", LINUX),
    "inferometer-1.2.0-py3-none-manylinux_2_27_aarch64.whl",
  );
  const bytes = wheel(PROGRAM, LINUX, SOURCE);
  const files = new Map(Object.entries(unzipSync(bytes)));
  assert.deepEqual(files.get("inferometer-1.2.0.data/scripts/inferometer"), PROGRAM);
  const record = decoder.decode(files.get("inferometer-1.2.0.dist-info/RECORD"));
  const rows = record.trimEnd().split("\n").map((line) => line.split(","));
  assert.deepEqual(rows.map(([path]) => path).sort(), [...files.keys()].sort());
  for (const [path, digest, size] of rows as [string, string, string][]) {
    if (path.endsWith("RECORD")) continue;
    const file = files.get(path) as Uint8Array;
    assert.equal(digest, `sha256=${createHash("sha256").update(file).digest("base64url")}`);
    assert.equal(Number(size), file.length);
  }
  const notices = files.get("inferometer-1.2.0.dist-info/licenses/THIRD_PARTY_LICENSES.txt");
  assert.equal(decoder.decode(notices), SOURCE.notices);
  const metadata = decoder.decode(files.get("inferometer-1.2.0.dist-info/METADATA"));
  assert.match(metadata, /^Metadata-Version: 2\.4\nName: inferometer\nVersion: 1\.2\.0\n/);
  assert.ok(metadata.endsWith(`\n\n${SOURCE.readme}`));
  assert.deepEqual(wheel(PROGRAM, LINUX, SOURCE), bytes);
  const windows = unzipSync(wheel(PROGRAM, WINDOWS, SOURCE));
  assert.ok("inferometer-1.2.0.data/scripts/inferometer.exe" in windows);
});

Deno.test("npm packages: the root asks for the one that fits, and downloads nothing itself", async () => {
  const files = await tarFiles(rootTarball(TARGETS, SOURCE));
  const manifest = JSON.parse(decoder.decode(files.get("package/package.json")?.data));
  assert.equal(manifest.scripts, undefined);
  assert.deepEqual(
    manifest.optionalDependencies,
    Object.fromEntries(TARGETS.map((target) => [platformPackage(target), "1.2.0"])),
  );
  assert.equal(files.get(`package/${manifest.bin.inferometer}`)?.header.mode, 0o755);
  assert.equal(tarballName("@inferometer/win32-x64", "1.2.0"), "inferometer-win32-x64-1.2.0.tgz");
  const platform = await tarFiles(platformTarball(PROGRAM, WINDOWS, SOURCE));
  for (const packed of [files, platform]) {
    const notices = packed.get("package/THIRD_PARTY_LICENSES.txt")?.data;
    assert.equal(decoder.decode(notices), SOURCE.notices);
  }
  const { os, cpu, libc } = JSON.parse(decoder.decode(platform.get("package/package.json")?.data));
  assert.deepEqual([os, cpu, libc], [["win32"], ["x64"], undefined]);
  assert.deepEqual(platform.get("package/bin/inferometer.exe")?.data, PROGRAM);
  const linux = await tarFiles(platformTarball(PROGRAM, LINUX, SOURCE));
  assert.deepEqual(
    JSON.parse(decoder.decode(linux.get("package/package.json")?.data)).libc,
    ["glibc"],
  );
});

Deno.test("a Debian package has its three parts, and the sums of its files", async () => {
  const completions = new Map([["bash", "complete -F x inferometer\n"]]);
  const bytes = debPackage(PROGRAM, LINUX, SOURCE, { help: "help\n", completions });
  assert.equal(debName("1.2.0", LINUX), "inferometer_1.2.0_arm64.deb");
  const members = new Map<string, Uint8Array>();
  assert.equal(decoder.decode(bytes.subarray(0, 8)), "!<arch>\n");
  for (let at = 8; at < bytes.length;) {
    const header = decoder.decode(bytes.subarray(at, at + 60));
    const size = Number(header.slice(48, 58));
    assert.equal(header.slice(58), "`\n");
    members.set(header.slice(0, 16).trim(), bytes.subarray(at + 60, at + 60 + size));
    at += 60 + size + size % 2;
  }
  assert.deepEqual([...members.keys()], ["debian-binary", "control.tar.gz", "data.tar.gz"]);
  const control = await tarFiles(members.get("control.tar.gz") as Uint8Array);
  assert.match(decoder.decode(control.get("./control")?.data), /\nArchitecture: arm64\n/);
  const data = await tarFiles(members.get("data.tar.gz") as Uint8Array);
  const notices = data.get("./usr/share/doc/inferometer/THIRD_PARTY_LICENSES.txt.gz")?.data;
  assert.equal(decoder.decode(gunzipSync(notices as Uint8Array)), SOURCE.notices);
  const sums = decoder.decode(control.get("./md5sums")?.data).trimEnd().split("\n");
  for (const line of sums) {
    const [sum, path] = line.split("  ");
    const file = data.get(`./${path}`)?.data as Uint8Array;
    assert.equal(createHash("md5").update(file).digest("hex"), sum, path);
  }
  const files = [...data.values()].filter(({ header }) => header.type === "file");
  assert.equal(sums.length, files.length);
  assert.ok(data.has("./usr/share/"), "no folder is made by chance");
});

Deno.test("manualPage keeps what a formatter would take for its own", () => {
  const page = manualPage(".dot\n'quote\n  a-b \\n\n", SOURCE.stamp);
  assert.match(page, /^\.TH INFEROMETER 1 "2026-11-22" "inferometer 1\.2\.0"\n/);
  assert.ok(page.includes("\n\\&.dot\n\\&'quote\n  a\\-b \\en\n"));
});

Deno.test("tarArchive keeps long paths whole, and refuses those that do not fit", async () => {
  const long = `${"folder/".repeat(20)}file.txt`;
  const [entry] = await unpackTar(tarArchive([textEntry(long, "text")], 0));
  assert.equal(entry?.header.name, long);
  assert.throws(() => tarArchive([textEntry("x".repeat(101), "")], 0), RangeError);
});

Deno.test("the bill of materials and the provenance follow from the commit", () => {
  const materials = {
    packages: [
      { name: "@a/b", version: "1.0.0", license: "MIT" },
      { name: "c", version: "2.0.0", license: "(MIT OR Apache-2.0)" },
      { name: "d", version: "3.0.0", license: undefined },
    ],
    denoVersion: "2.9.6",
  };
  const text = sbom(SOURCE, materials);
  assert.equal(sbom(SOURCE, materials), text);
  const bill = JSON.parse(text);
  assert.equal(bill.bomFormat, "CycloneDX");
  assert.match(bill.serialNumber, /^urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab]/);
  const purls = bill.components.map(({ purl }: { purl?: string }) => purl);
  assert.ok(purls.includes("pkg:npm/%40a/b@1.0.0"));
  assert.ok(purls.includes("pkg:github/denoland/deno@v2.9.6"));
  const sums = [["a.whl", "1".repeat(64)]] as const;
  const statement = JSON.parse(provenance(SOURCE, { version: "2.9.6" }, sums, []));
  assert.equal(statement.predicateType, "https://slsa.dev/provenance/v1");
  assert.deepEqual(statement.subject, [{ name: "a.whl", digest: { sha256: "1".repeat(64) } }]);
});
