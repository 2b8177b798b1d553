import assert from "node:assert/strict";
import type { OptionTable } from "../../../src/config/options/option.ts";
import type { PROFILE_OPTIONS } from "../../../src/config/options/profile/profile_options.ts";
import { resolveOptions } from "../../../src/config/options/resolve_options.ts";
import type { ProfileOptions } from "../../../src/config/options/profile/profile_types.ts";
import type { GivenOptions } from "../../../src/config/options/settings.ts";

const TABLE = {
  size: { kind: "number", group: "A", help: "Size", min: 1, max: 9, default: 3 },
  speed: { kind: "rate", group: "A", help: "Speed", min: 0, max: 9, excludes: ["slow"] },
  slow: { kind: "flag", group: "A", help: "Slow" },
  colour: {
    kind: "text",
    group: "A",
    help: "Colour",
    choices: ["red", "dark-red"],
    synonyms: { "scarlet": "red" },
  },
  names: { kind: "texts", group: "A", help: "Names", single: true },
  shades: {
    kind: "texts",
    group: "A",
    help: "Shades",
    choices: ["red", "dark-red"],
    default: ["red"],
    needs: ["colour", "slow"],
  },
} as const satisfies OptionTable;

Deno.test("resolveOptions fills in defaults, and leaves out what has none", () => {
  assert.deepEqual(resolveOptions(TABLE, {}), { size: 3, slow: false, shades: ["red"] });
  assert.deepEqual(
    resolveOptions(TABLE, { size: 4, colour: "Dark_Red", shades: ["red,DARK-RED", "red"] }),
    { size: 4, slow: false, colour: "dark-red", shades: ["red", "dark-red"] },
  );
});

Deno.test("resolveOptions takes other words for choices, and one entry of a list without a list", () => {
  assert.equal(resolveOptions(TABLE, { colour: "Scarlet" }).colour, "red");
  assert.deepEqual(resolveOptions(TABLE, { names: "a" }).names, ["a"]);
  assert.deepEqual(resolveOptions(TABLE, { names: ["a", "b"] }).names, ["a", "b"]);
});

Deno.test("resolveOptions knows the types of values", () => {
  const settings = resolveOptions(TABLE, { speed: 1, colour: "red" });
  const size: number = settings.size;
  const slow: boolean = settings.slow;
  const colour: "red" | "dark-red" | undefined = settings.colour;
  const shades: readonly ("red" | "dark-red")[] = settings.shades;
  // @ts-expect-error: nobody may have given it.
  const speed: number = settings.speed;
  assert.deepEqual([size, slow, colour, shades, speed], [3, false, "red", ["red"], 1]);
});

Deno.test("resolveOptions refuses options that need or exclude another, by what was given", () => {
  assert.throws(() => resolveOptions(TABLE, { shades: ["red"] }), {
    message: "--shades: Needs --colour or --slow",
  });
  assert.throws(() => resolveOptions(TABLE, { shades: ["red"], slow: false }), {
    message: "--shades: Needs --colour or --slow",
  });
  assert.throws(() => resolveOptions(TABLE, { speed: 1, slow: true }), {
    message: "--slow: Cannot be used together with --speed",
  });
  resolveOptions(TABLE, { shades: ["red"], slow: true });
  resolveOptions(TABLE, { speed: 1, slow: false });
});

Deno.test("resolveOptions says what a value must be, and what it is", () => {
  const cases: [Record<string, unknown>, string][] = [
    [{ size: 0 }, "--size: Must be at least 1: got 0"],
    [{ size: 10 }, "--size: Must be at most 9: got 10"],
    [{ size: "1" }, '--size: Must be a number: got "1"'],
    [{ slow: "yes" }, '--slow: Must be true or false: got "yes"'],
    [{ colour: "blue" }, '--colour: Must be one of red, dark-red: got "blue"'],
    [
      { colour: "dark_rd" },
      '--colour: Must be one of red, dark-red: got "dark_rd" (Did you mean dark-red?)',
    ],
    [{ colour: 7 }, "--colour: Must be a text: got 7"],
    [{ shades: "red" }, '--shades: Must be a list of texts: got "red"'],
    [{ shades: ["red, blue"], slow: true }, '--shades: Must be of red, dark-red: got "blue"'],
  ];
  for (const [given, message] of cases) {
    assert.throws(() => resolveOptions(TABLE, given), { name: "UsageError", message });
  }
});

/** Whether two types are the same, not merely assignable. */
type IsSame<A, B> = (<T>() => T extends A ? 1 : 2) extends (<T>() => T extends B ? 1 : 2) ? true
  : false;
/** The fields of a type, wherever it has them from. */
type Fields<T> = { [Name in keyof T]: T[Name] };

Deno.test("ProfileOptions has the fields of the table, as the library's users see them", () => {
  const isSame: IsSame<Fields<ProfileOptions>, Fields<GivenOptions<typeof PROFILE_OPTIONS>>> = true;
  assert.ok(isSame);
});
