import { fileURLToPath } from "node:url";
import { programOutput } from "../../process/program_output.ts";
import type { BenchCase } from "../bench_case.ts";
import { AIPERF } from "../peers.ts";
import { OURS } from "../product.ts";
import { playRounds, valuesOf } from "../rounds.ts";
import { atLeastTimes, atMost } from "../target.ts";

const COUNT = 10_000;
const TOKENS = 1000;
const SCRIPT = fileURLToPath(new URL("../make_prompts.ts", import.meta.url));

/** AIPerf's texts alone: without its processes, its files, and the loading of its tokenizer. */
const PYTHON = `
import sys, time
from aiperf.common import random_generator as rng
from aiperf.common.tokenizer import Tokenizer
from aiperf.dataset.generator.prompt import PromptGenerator
rng.init(1)
tokenizer = Tokenizer.from_pretrained("builtin")
start = time.perf_counter()
prompts = PromptGenerator(prompts=None, prefix_prompts=None, tokenizer=tokenizer)
texts = [prompts.generate(mean=int(sys.argv[2]), stddev=0) for _ in range(int(sys.argv[1]))]
print(time.perf_counter() - start)`;

/**
 * How fast synthetic prompts are made.
 * @param peersFolder where AIPerf's `venv` is; undefined for none
 */
export function promptGeneration(peersFolder: string | undefined): BenchCase {
  return {
    name: "prompts",
    description: `${COUNT} prompts of ${TOKENS} tokens by the same encoding, beside AIPerf`,
    async run(context) {
      const seconds = await playRounds(context, "prompts", [
        { name: OURS, measure: () => made(Deno.execPath(), ["run", "-A", SCRIPT], {}) },
        ...peersFolder === undefined ? [] : [{
          name: AIPERF,
          measure: () =>
            made(`${peersFolder}/venv/bin/python`, ["-c", PYTHON], {
              TIKTOKEN_CACHE_DIR: `${peersFolder}/tiktoken`,
            }),
        }],
      ]);
      return [{
        label: `making of ${COUNT} prompts of ${TOKENS} tokens`,
        unit: "prompts/s",
        decimals: 0,
        values: valuesOf(seconds, (time) => COUNT / time),
        targets: [atLeastTimes(20, AIPERF)],
        machine: [],
      }, {
        label: "the same, time",
        unit: "s",
        decimals: 3,
        values: valuesOf(seconds, (time) => time),
        targets: [atMost(1)],
        machine: [],
      }];
    },
  };
}

/** Seconds that a program says it took. */
async function made(
  command: string,
  args: readonly string[],
  env: Record<string, string>,
): Promise<number> {
  const said = await programOutput(command, [...args, String(COUNT), String(TOKENS)], { env });
  return Number(said.trim().split("\n").at(-1));
}
