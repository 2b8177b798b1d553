import assert from "node:assert/strict";
import type { RequestRecord } from "../../../src/measurement/metrics/request_record.ts";
import { TokenCheck, type TokenCheckPlan } from "../../../src/report/model/token_check.ts";
import { recordWith } from "../../support/records.ts";

/** Settings of runs that have no endpoint of their own. */
const PLAN: TokenCheckPlan = {
  endpointType: "chat",
  tokenizer: { kind: "builtin" },
  body: { streaming: true, legacyMaxTokens: false, extraInputs: {}, perChunkUsage: false },
  thresholds: { usageDiffPct: 10, oslMismatchPct: 5, oslMismatchMaxTokens: 50 },
};

interface Given {
  readonly tokenizer?: TokenCheckPlan["tokenizer"];
  readonly endpointType?: string;
  readonly extraInputs?: Readonly<Record<string, unknown>>;
}

const FILE = { kind: "file", path: "/tokenizer.json", name: undefined } as const;
const DISCREPANT = "Token counts of 4 of 4 requests differ by more than 10 % from the server's: ";

/** What is noted of four requests, with prompts of their own each unless the fields say otherwise. */
function notesOf(
  fields: (index: number) => Partial<RequestRecord>,
  { tokenizer = { kind: "builtin" }, endpointType = "chat", extraInputs = {} }: Given = {},
  discrepant = 4,
): string[] {
  const check = new TokenCheck({
    ...{ ...PLAN, endpointType, tokenizer },
    body: { ...PLAN.body, extraInputs },
  });
  for (let index = 0; index < 4; index++) check.add(recordWith({ entry: index, ...fields(index) }));
  return check.notes(discrepant, 4);
}

Deno.test("TokenCheck names a chat template where most prompts differ by the same number", () => {
  const added = (...counts: number[]) => (index: number) => ({
    inputTokens: 50 + index,
    promptTokens: 50 + index + (counts[index] as number),
  });
  const template = (where: string) =>
    `${DISCREPANT}it counts 15 tokens more in ${where}, as chat templates add`;
  assert.deepEqual(notesOf(added(15, 15, 15, 15)), [template("every prompt")]);
  assert.deepEqual(notesOf(added(15, 17, 15, 15), { tokenizer: FILE }), [template("most prompts")]);
  assert.deepEqual(notesOf(added(15, 15, 15, 15), { endpointType: "completions" }), [
    `${DISCREPANT}it counts 15 tokens more in every prompt, as special tokens add`,
  ]);
  const one = (index: number) => ({ inputTokens: 5 + index, promptTokens: 6 + index });
  assert.match(notesOf(one)[0] ?? "", /it counts 1 token more/);
});

Deno.test("TokenCheck names no template where another tokenizer explains the same", () => {
  const advice = "give the model's tokenizer (--tokenizer) or --use-server-token-count";
  const other = (index: number) => ({ inputTokens: 50, promptTokens: 60 + index });
  assert.deepEqual(notesOf(other), [DISCREPANT + advice]);
  // One prompt for all requests differs by the same number whatever the reason.
  const repeated = () => ({ entry: 7, inputTokens: 50, promptTokens: 65 });
  assert.deepEqual(notesOf(repeated), [DISCREPANT + advice]);
  const fewer = () => ({ inputTokens: 50, promptTokens: 40 });
  assert.deepEqual(notesOf(fewer), [DISCREPANT + advice]);
});

Deno.test("TokenCheck advises no tokenizer where one was given", () => {
  const prompts = (index: number) => ({ inputTokens: 50, promptTokens: 60 + index });
  const server = "--use-server-token-count takes the server's counts";
  assert.deepEqual(notesOf(prompts, { tokenizer: FILE }), [
    `${DISCREPANT}it uses another tokenizer, or changes prompts; ${server}`,
  ]);
  const outputs = () => ({ completionTokens: 5, outputTokens: 6 });
  assert.deepEqual(notesOf(outputs, { tokenizer: FILE }), [
    `${DISCREPANT}re-tokenizing text does not always reproduce the generated tokens; ` +
    server,
  ]);
});

Deno.test("TokenCheck checks lengths by the server's count where it tells one", () => {
  const retokenized = () => ({ requestedTokens: 5, completionTokens: 5, outputTokens: 7 });
  assert.deepEqual(notesOf(retokenized, {}, 0), []);
  const untold = () => ({ requestedTokens: 5, completionTokens: NaN, outputTokens: 7 });
  assert.deepEqual(notesOf(untold, {}, 0), [
    "4 of 4 outputs do not have the requested length: they are longer",
  ]);
  const short = (index: number) => ({ requestedTokens: 50, completionTokens: index ? 50 : 40 });
  assert.deepEqual(notesOf(short, {}, 0), [
    "1 of 4 outputs do not have the requested length: add --extra-inputs ignore_eos:true to " +
    "force the requested length",
  ]);
});

Deno.test("TokenCheck advises no ignore_eos where it was asked for", () => {
  const short = () => ({ requestedTokens: 50, completionTokens: 40 });
  const ignored = [
    "4 of 4 outputs do not have the requested length: they end early although " +
    "ignore_eos was requested",
  ];
  assert.deepEqual(notesOf(short, { extraInputs: { "ignore_eos": true } }, 0), ignored);
  assert.deepEqual(
    notesOf(short, { extraInputs: { "nvext": { "ignore_eos": true } } }, 0),
    ignored,
  );
  const [unasked] = notesOf(short, { extraInputs: { "ignore_eos": false } }, 0);
  assert.match(unasked ?? "", /add --extra-inputs ignore_eos:true to force the requested length$/);
});

Deno.test("TokenCheck compares replies with recorded lengths only where requests force them", () => {
  const checked = (others: number, agents: object, dataset: object = { source: "file" }) => {
    const check = new TokenCheck(
      { ...PLAN, dataset: { ...dataset, agents } } as unknown as TokenCheckPlan,
    );
    for (let index = 0; index < 200; index++) {
      const completionTokens = index < others ? 7 : 8;
      check.add(recordWith({ entry: index, completionTokens, requestedTokens: 8 }));
    }
    check.add(recordWith({ entry: 200, completionTokens: NaN, requestedTokens: 8 }));
    const isNoted = check.notes(0, 201).some((note) => note.startsWith("Not comparable"));
    return { ...check.lengthMismatch, isNoted };
  };
  const recorded = { history: "recorded" };
  const found = { checked: 200, mismatched: 2, isComparable: true, isNoted: false };
  assert.deepEqual(checked(2, recorded), found);
  const more = { checked: 200, mismatched: 3, isComparable: false, isNoted: true };
  assert.deepEqual(checked(3, recorded), more);
  assert.deepEqual(checked(3, { history: "live" }), { isNoted: false });
  const free = { ...recorded, scenario: { freeLengthTokens: 4096 } };
  assert.deepEqual(checked(3, free), { isNoted: false });
  assert.deepEqual(checked(3, recorded, { source: "synthetic" }), { isNoted: false });
});
