import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { checkShardFiles } from "../../../src/config/shard/check_shard_files.ts";
import { shardFolderName, shardOfFolder } from "../../../src/config/shard/shard.ts";
import {
  parseShardManifest,
  type ShardFacts,
  shardManifestText,
} from "../../../src/config/shard/shard_manifest.ts";
import { writeShardManifest } from "../../../src/results/collect/write_shard_manifest.ts";

const FACTS: ShardFacts = {
  planHash: "ab12",
  version: "inferometer/0.1.0",
  seed: 7,
  shard: { index: 3, count: 8 },
  host: "node3",
  start: {
    intendedNs: 1_799_999_999_123_456_789n,
    actualNs: 1_799_999_999_123_956_789n,
    latenessMs: 0.5,
  },
  clock: { offsetMs: -2499.997, errorMs: 0.065 },
  counts: { requests: 100, failed: 2, cancelled: 1, sessions: 100 },
  exitReason: "complete",
  endReason: undefined,
  partial: false,
};

Deno.test("shardFolderName pads to four digits, shardOfFolder reads it back", () => {
  assert.equal(shardFolderName({ index: 3, count: 8 }), "shard-0003-of-0008");
  assert.equal(shardFolderName({ index: 12_345, count: 20_000 }), "shard-12345-of-20000");
  for (const shard of [{ index: 0, count: 1 }, { index: 12_345, count: 20_000 }]) {
    assert.deepEqual(shardOfFolder(shardFolderName(shard)), shard);
  }
  for (const name of ["shard-0008-of-0008", "shard-3-of-8", "shard-00003-of-0008", "run"]) {
    assert.equal(shardOfFolder(name), undefined, name);
  }
});

Deno.test("shard.json keeps every digit of its times", () => {
  const files = new Map([["run/run.json", { bytes: 5, sha256: "0".repeat(64) }]]);
  const manifest = { ...FACTS, files };
  const text = shardManifestText(manifest);
  assert.match(text, /"intended_ns": 1799999999123456789,/);
  assert.deepEqual(parseShardManifest(text), manifest);
  const nothing = { ...manifest, start: undefined, clock: undefined };
  assert.deepEqual(parseShardManifest(shardManifestText(nothing)), nothing);
});

Deno.test("shard.json has a code, and one of version 0.1.0 gets it by what it says", () => {
  const manifest = { ...FACTS, files: new Map() };
  const late = "it began too late, 1201 ms later than agreed: more than --max-late 1 s allows";
  const told = shardManifestText({ ...manifest, exitReason: late, endReason: "too_late" });
  assert.equal(JSON.parse(told).ended_early_reason, "too_late");
  assert.equal(parseShardManifest(told).endReason, "too_late");
  const whole = shardManifestText(manifest);
  assert.equal(JSON.parse(whole).ended_early_reason, null);
  const old = (exitReason: string) => {
    const json = JSON.parse(shardManifestText({ ...manifest, exitReason }));
    delete json.ended_early_reason;
    return parseShardManifest(JSON.stringify(json)).endReason;
  };
  const words = ["complete", "interrupted", "held up", "incomplete", late, "toString"];
  assert.deepEqual(words.map(old), [
    ...[undefined, "interrupted", "held_up", "worker_lost", "too_late", "unknown"],
  ]);
});

Deno.test("parseShardManifest says in one sentence what is wrong", () => {
  const text = shardManifestText({ ...FACTS, files: new Map() });
  const cases: [string, RegExp][] = [
    [text.slice(0, 40), /^It is not JSON, or ends too early$/],
    ["[]", /expected object/],
    [text.replace('"format_version": 1', '"format_version": 2'), /format_version 2 is newer/],
    [text.replace('"index": 3', '"index": 8'), /index must be less than count/],
    [text.replace('"requests": 100', '"requests": -1'), /counts\.requests/],
  ];
  for (const [broken, message] of cases) {
    assert.notEqual(broken, text);
    assert.throws(() => parseShardManifest(broken), (error: Error) => {
      assert(error instanceof SyntaxError);
      assert.match(error.message, message);
      assert(!error.message.includes("\n"));
      return true;
    });
  }
});

Deno.test("writeShardManifest lists every file, checkShardFiles finds each that changed", async () => {
  const folder = await Deno.makeTempDir();
  try {
    await Deno.mkdir(`${folder}/run`);
    const large = new Uint8Array(3_000_000).fill(65);
    await Deno.writeFile(`${folder}/run/records.bin`, large);
    await Deno.writeTextFile(`${folder}/profile_export.jsonl`, "{}\n");
    await Deno.writeTextFile(`${folder}/.inferometer-claim`, "");
    await writeShardManifest(folder, FACTS);
    const manifest = parseShardManifest(await Deno.readTextFile(`${folder}/shard.json`));
    assert.deepEqual([...manifest.files], [
      ["profile_export.jsonl", { bytes: 3, sha256: sha256(new TextEncoder().encode("{}\n")) }],
      ["run/records.bin", { bytes: 3_000_000, sha256: sha256(large) }],
    ]);
    assert.equal(await checkShardFiles(folder, manifest), undefined);
    large[2_999_999] = 66;
    await Deno.writeFile(`${folder}/run/records.bin`, large);
    assert.match(await checkShardFiles(folder, manifest) ?? "", /run\/records\.bin was changed/);
    await Deno.truncate(`${folder}/run/records.bin`, 10);
    assert.match(await checkShardFiles(folder, manifest) ?? "", /has 10 bytes, .* says 3000000/);
    await Deno.remove(`${folder}/run/records.bin`);
    assert.match(await checkShardFiles(folder, manifest) ?? "", /run\/records\.bin is missing/);
    const foreign = { ...manifest, files: new Map([["../x", { bytes: 0, sha256: "" }]]) };
    assert.match(await checkShardFiles(folder, foreign) ?? "", /outside of the folder/);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

function sha256(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}
