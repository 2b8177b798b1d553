import type { AnswerVerdicts } from "../answers/answer_verdicts.ts";

/** Rows of two runs whose requests have one prompt, in any order. */
export interface PromptPairs {
  readonly before: Uint32Array;
  readonly after: Uint32Array;
}

/**
 * Finds the requests of two runs that have one prompt. The first request with a prompt belongs to the
 * first one with it in the other run, the second to the second, and so on, in the order of their
 * sessions. Prompts of other lengths are other prompts.
 */
export function promptPairs(before: AnswerVerdicts, after: AnswerVerdicts): PromptPairs {
  if (before.workload !== after.workload) return { before: NONE, after: NONE };
  const places = new Map<number, number[]>();
  for (const row of inOrder(before).reverse()) {
    const prompt = before.prompts[row] as number;
    const rows = places.get(prompt);
    if (rows === undefined) places.set(prompt, [row]);
    else rows.push(row);
  }
  const [a, b]: [number[], number[]] = [[], []];
  for (const row of inOrder(after)) {
    const partner = places.get(after.prompts[row] as number)?.pop();
    if (partner === undefined) continue;
    const [one, other] = [before.promptTokens[partner], after.promptTokens[row]] as [
      number,
      number,
    ];
    if (!(one === other || Number.isNaN(one) || Number.isNaN(other))) continue;
    a.push(partner);
    b.push(row);
  }
  return { before: Uint32Array.from(a), after: Uint32Array.from(b) };
}

const NONE = new Uint32Array(0);

function inOrder({ places }: AnswerVerdicts): Uint32Array {
  return Uint32Array.from(places.keys())
    .sort((a, b) => (places[a] as number) - (places[b] as number));
}
