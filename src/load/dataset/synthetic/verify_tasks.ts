import type { TaskKind } from "../../../config/plan/task_kinds.ts";
import { type RandomStream, randomStream } from "../../../core/statistics/random_stream.ts";
import type { Expected } from "../../../measurement/answers/expected/expected.ts";
import type { Tokenizer } from "../tokenizers/tokenizer.ts";

/** Items from which the tokens of an item are known. */
const SAMPLE_ITEMS = 200;
/** Words of a line to copy. */
const LINE_WORDS = 7;
const WORDS = [
  "amber basin cedar delta ember falcon garden harbor island jungle kernel lantern marble needle",
  "orchard pepper quartz river saddle timber urban velvet walnut yellow zebra anchor bridge candle",
  "desert engine forest glacier hammer insect jacket kitten ladder meadow napkin oyster pocket rabbit",
  "silver tunnel useful violin window yogurt",
].flatMap((line) => line.split(" "));

/** A prompt with a task, and the answer to it. */
export interface VerifyTask {
  readonly text: string;
  readonly expected: Expected;
}

/** A line of a task's text, and a question about it. */
interface Item {
  readonly line: string;
  readonly question: string;
  readonly expected: Expected;
}

/** Creates the item with a number, from 1; no two items of a task are alike. */
type ItemMaker = (number: number, random: RandomStream) => Item;

const TASKS: Readonly<Record<TaskKind, { readonly head: string; readonly item: ItemMaker }>> = {
  arithmetic: { head: "Here is a list of exercises.", item: exercise },
  copy: { head: "Here is a text with numbered lines.", item: textLine },
  lookup: { head: "Here is a table of keys and values.", item: tableRow },
};

/**
 * Creates the tasks of `--verify-tasks`: a list of exercises, lines or keys, and a question about one
 * of its items. They depend only on the seed and the number of the request.
 */
export class VerifyTasks {
  readonly #kinds: readonly TaskKind[];
  readonly #seed: number;
  readonly #tokenizer: Tokenizer;
  /** Tokens of an item of each kind, and of the text around the items. */
  readonly #costs = new Map<TaskKind, { readonly item: number; readonly around: number }>();

  /** @param tokenizer counts the tokens of the prompts */
  constructor(kinds: readonly TaskKind[], seed: number, tokenizer: Tokenizer) {
    this.#kinds = kinds;
    this.#seed = seed;
    this.#tokenizer = tokenizer;
  }

  /**
   * Returns the task of a request; kinds take turns.
   * @param tokens about the length of the prompt; a task has at least one item
   */
  task(index: number, tokens: number): VerifyTask {
    const kind = this.#kinds[index % this.#kinds.length] as TaskKind;
    const { item, around } = this.#costOf(kind);
    const count = Math.max(1, Math.round((tokens - around) / item));
    const random = randomStream(this.#seed, `dataset.task.${kind}`, index);
    return taskOf(kind, count, random);
  }

  #costOf(kind: TaskKind): { readonly item: number; readonly around: number } {
    const known = this.#costs.get(kind);
    if (known !== undefined) return known;
    const [one, many] = [1, SAMPLE_ITEMS + 1].map((count) =>
      this.#tokenizer.count(taskOf(kind, count, randomStream(0, "dataset.task.sample")).text)
    ) as [number, number];
    const item = (many - one) / SAMPLE_ITEMS;
    const cost = { item, around: one - item };
    this.#costs.set(kind, cost);
    return cost;
  }
}

function taskOf(kind: TaskKind, count: number, random: RandomStream): VerifyTask {
  const { head, item } = TASKS[kind];
  const items = Array.from({ length: count }, (_, place) => item(place + 1, random));
  const { expected, question } = items[Math.floor(random() * count)] as Item;
  const lines = items.map(({ line }) => line).join("\n");
  return { text: `${head}\n\n${lines}\n\n${question}`, expected };
}

function exercise(number: number, random: RandomStream): Item {
  const [a, b] = [between(10, 99, random), between(10, 99, random)];
  const c = between(1, a + b, random);
  return {
    line: `Exercise ${number}: ${a} + ${b} - ${c} = ?`,
    question: `Solve exercise ${number}. Answer with the result only, as a number.`,
    expected: { number: a + b - c },
  };
}

function textLine(number: number, random: RandomStream): Item {
  const text = Array.from({ length: LINE_WORDS }, () => word(random)).join(" ");
  return {
    line: `Line ${number}: ${text}`,
    question:
      `Repeat line ${number} word by word. Answer with the words of the line only, without ` +
      '"Line" and its number.',
    expected: { exact: text },
  };
}

function tableRow(number: number, random: RandomStream): Item {
  // The number makes keys different, and the words make its place in the table no hint.
  const key = `${word(random)}-${word(random)}-${number}`;
  const value = between(10_000, 99_999, random);
  return {
    line: `${key}: ${value}`,
    question: `Find the value of ${key} in the table. Answer with the value only.`,
    expected: { number: value },
  };
}

function word(random: RandomStream): string {
  return WORDS[Math.floor(random() * WORDS.length)] as string;
}

function between(low: number, high: number, random: RandomStream): number {
  return low + Math.floor(random() * (high - low + 1));
}
