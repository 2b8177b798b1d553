/** Runs of a simulated server, for the measurement of what comparisons get wrong. */

import { randomStream } from "../../../src/core/statistics/random_stream.ts";
import { type RunSample, SampleBuilder } from "../../../src/measurement/compare/run_sample.ts";

/** Something that a run may be like. */
export interface SimulatedLoad {
  readonly name: string;
  readonly requests: number;
  /** Makes a run; times of the server are multiplied by `slowness`. */
  run(seed: number, slowness: number): RunSample;
}

/** Random numbers of a run. */
class Chance {
  readonly #uniform: () => number;

  constructor(seed: number) {
    this.#uniform = randomStream(seed, "simulated run");
  }

  uniform(): number {
    return this.#uniform();
  }

  normal(): number {
    const radius = Math.sqrt(-2 * Math.log(1 - this.#uniform()));
    return radius * Math.cos(2 * Math.PI * this.#uniform());
  }

  exponential(): number {
    return -Math.log(1 - this.#uniform());
  }
}

const TOKENS = 50;

/** A number of users who each wait for their reply; each reply by itself, with a heavy tail. */
export function independentLoad(requests: number, users: number, spread = 0.3): SimulatedLoad {
  return {
    name: `closed loop, ${users} users, independent`,
    requests,
    run(seed, slowness) {
      const chance = new Chance(seed);
      return closedLoop(requests, users, () => ({
        ttft: 60 * slowness * Math.exp(spread * chance.normal()),
        itl: 8 * slowness * Math.exp(0.05 * chance.normal()),
      }));
    },
  };
}

/** The same on a server that has slower and faster times, each lasting for many requests. */
export function wavyLoad(requests: number, users: number, memory: number): SimulatedLoad {
  return {
    name: `closed loop, ${users} users, good and bad times of ${memory} requests`,
    requests,
    run(seed, slowness) {
      const chance = new Chance(seed);
      const keep = Math.exp(-1 / memory);
      let level = chance.normal();
      return closedLoop(requests, users, () => {
        level = keep * level + Math.sqrt(1 - keep ** 2) * chance.normal();
        return {
          ttft: 60 * slowness * Math.exp(0.2 * level + 0.2 * chance.normal()),
          itl: 8 * slowness * Math.exp(0.03 * level + 0.03 * chance.normal()),
        };
      });
    },
  };
}

/** Arrivals by chance at servers that take one after another: waiting times depend on each other. */
export function queueLoad(requests: number, servers: number, use: number): SimulatedLoad {
  return {
    name: `open loop, a queue before ${servers} places, ${use * 100} % used`,
    requests,
    run(seed, slowness) {
      const chance = new Chance(seed);
      const free = new Float64Array(servers);
      const meanService = 0.5;
      const builder = new SampleBuilder();
      let now = 0;
      for (let i = 0; i < requests; i++) {
        now += chance.exponential() * meanService / servers / use;
        const place = free.indexOf(Math.min(...free));
        const begin = Math.max(now, free[place] as number);
        const service = meanService * slowness * (0.5 + 0.5 * chance.exponential());
        free[place] = begin + service;
        const ttft = begin - now + service * 0.1;
        add(builder, now, ttft * 1e3, (service * 0.9 / (TOKENS - 1)) * 1e3);
      }
      return builder.build("simulated", BigInt(seed));
    },
  };
}

function closedLoop(
  requests: number,
  users: number,
  reply: () => { ttft: number; itl: number },
): RunSample {
  const free = new Float64Array(users);
  const builder = new SampleBuilder();
  for (let i = 0; i < requests; i++) {
    const user = free.indexOf(Math.min(...free));
    const start = free[user] as number;
    const { ttft, itl } = reply();
    free[user] = add(builder, start, ttft, itl);
  }
  return builder.build("simulated", 0n);
}

/** Adds a request; returns its end in seconds. */
function add(builder: SampleBuilder, startSeconds: number, ttft: number, itl: number): number {
  const latency = ttft + itl * (TOKENS - 1);
  const end = startSeconds + latency / 1e3;
  const values: Readonly<Record<string, number>> = {
    "time_to_first_token": ttft,
    "inter_token_latency": itl,
    "request_latency": latency,
    "output_sequence_length": TOKENS,
  };
  builder.add({
    startNs: startSeconds * 1e9,
    endNs: end * 1e9,
    value: (tag) => values[tag] ?? NaN,
  });
  return end;
}
