import assert from "node:assert/strict";
import { ForeignSalts } from "../../../../src/load/dataset/payloads/foreign_salt.ts";
import {
  saltLength,
  saltText,
  type SaltWords,
} from "../../../../src/load/dataset/payloads/prompt_salt.ts";
import { randomStream } from "../../../../src/core/statistics/random_stream.ts";

const SALTS: SaltWords = {
  words: "longwordsalthavemanybytefourbitsabcdefghijklmnopqrstuvwxyzABCDEF",
  ...{ wordBytes: 4, wordBits: 4, run: 77 },
};
const WORDS = SALTS.words.match(/.{4}/g) as string[];

function saltOf(
  session: number,
  turn = 0,
  place = 0,
  run = SALTS.run,
  phase = "profiling",
): string {
  const key = { phase: phase as "profiling" | "warmup", session, turn };
  return saltText({ ...SALTS, run }, key, place, saltLength(SALTS), false);
}

const asked = { isWarmup: false, session: 5 };

Deno.test("the salt of any other request of the run is foreign, whatever is around it", () => {
  const foreign = new ForeignSalts(SALTS);
  for (const session of [0, 4, 6, 123_456_789]) {
    for (const [turn, place] of [[0, 0], [3, 1], [63, 3]] as const) {
      const text = `He said: long ${saltOf(session, turn, place)} word byte. And so on.`;
      assert.equal(foreign.isIn(text, asked), true, `${session} ${turn} ${place}`);
    }
  }
  assert.equal(foreign.isIn(saltOf(5, 0, 0, SALTS.run, "warmup"), asked), true);
});

Deno.test("a salt is found at any place of a text, and only as a whole", () => {
  const foreign = new ForeignSalts(SALTS);
  const salt = saltOf(6);
  for (let before = 0; before < 120; before++) {
    const text = `${"A tale, in fact. ".repeat(8).slice(0, before)}.${salt}.`;
    assert.equal(foreign.isIn(text, asked), true, `${before}`);
    const first = salt.split(" ")[0] as string;
    const torn = text.replace(`${first} `, `${first}.`);
    assert.equal(foreign.isIn(torn, asked), false, `${before}`);
  }
});

Deno.test("the own salt, those of other runs, and parts of salts are not foreign", () => {
  const foreign = new ForeignSalts(SALTS);
  for (const turn of [0, 9]) assert.equal(foreign.isIn(`x ${saltOf(5, turn)} y`, asked), false);
  assert.equal(foreign.isIn(saltOf(6, 0, 0, 78), asked), false);
  assert.equal(foreign.isIn(saltOf(6).split(" ").slice(1).join(" "), asked), false);
  assert.equal(foreign.isIn("", asked), false);
});

Deno.test("10,000 replies of words of salts raise no alarm", () => {
  const foreign = new ForeignSalts(SALTS);
  const random = randomStream(1, "test.salts");
  let alarms = 0;
  for (let i = 0; i < 10_000; i++) {
    const words = Array.from({ length: 20 }, () => WORDS[Math.floor(random() * WORDS.length)]);
    if (foreign.isIn(words.join(" "), asked)) alarms++;
  }
  assert.ok(alarms <= 1, `${alarms} alarms`);
});
