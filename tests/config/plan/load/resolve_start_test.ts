import assert from "node:assert/strict";
import { UsageError } from "../../../../src/config/options/usage_error.ts";
import { PROFILE_OPTIONS } from "../../../../src/config/options/profile/profile_options.ts";
import { resolveOptions } from "../../../../src/config/options/resolve_options.ts";
import { resolveStart } from "../../../../src/config/plan/load/resolve_start.ts";

const NOW_MS = Date.UTC(2026, 10, 22, 9);

async function startOf(startAt: string): Promise<number> {
  const start = await resolveStart(resolveOptions(PROFILE_OPTIONS, { startAt }), undefined, NOW_MS);
  assert.equal(start?.by, "time");
  return start?.by === "time" ? start.epochMs : NaN;
}

Deno.test("--start-at takes times with a zone, seconds since 1970, and a time from now", async () => {
  const tenUtc = Date.UTC(2026, 10, 22, 10);
  for (
    const text of [
      ...["2026-11-22T10:00:00Z", "2026-11-22 10:00Z", "2026-11-22t10:00:00.000z"],
      ...["2026-11-22T12:00:00+02:00", "2026-11-22T12:00:00+0200", "2026-11-22T12:00+02"],
      ...["2026-11-22T06:30:00-0330", "2026-11-23T00:00:00+14", `${tenUtc / 1e3}`],
      ...["+3600", "+60m", "+1h", "+3600s", "+3600000ms"],
    ]
  ) assert.equal(await startOf(text), tenUtc, text);
  assert.equal(await startOf("1795341600.25"), 1795341600250);
  assert.equal(await startOf("+0"), NOW_MS);
  assert.equal(await startOf("2028-02-29T00:00Z"), Date.UTC(2028, 1, 29));
});

Deno.test("--start-at refuses a time without a zone, and days that there are not", async () => {
  for (
    const text of [
      ...["2026-11-22T10:00:00", "tomorrow", "-5", "+-5", "+inf", "12:30", "2026-11-22"],
      ...["2026-02-29T00:00Z", "2026-02-30T00:00:00Z", "2026-13-01T00:00Z", "2026-11-22T25:00Z"],
      ...["2026-11-22T10:00:61Z", "1795341600000"],
    ]
  ) {
    await assert.rejects(startOf(text), (error) => {
      assert.ok(error instanceof UsageError, `${text}: ${error}`);
      assert.match(error.message, /Must be a time with its zone/);
      return true;
    });
  }
});

Deno.test("the file of a token counts before the variable, which scripts set for all", async () => {
  const file = await Deno.makeTempFile();
  try {
    await Deno.writeTextFile(file, "token-of-the-file-1\n");
    const rendezvous = { rendezvous: "node1:29400", rendezvousToken: "token-of-the-variable" };
    const tokenOf = async (options: object): Promise<string | undefined> => {
      const settings = resolveOptions(PROFILE_OPTIONS, {
        ...{ shard: "0/2", ...rendezvous, ...options },
      });
      const start = await resolveStart(settings, { index: 0, count: 2 });
      return start?.by === "rendezvous" ? start.token : undefined;
    };
    assert.equal(await tokenOf({ rendezvousTokenFile: file }), "token-of-the-file-1");
    assert.equal(await tokenOf({}), "token-of-the-variable");
  } finally {
    await Deno.remove(file);
  }
});
