import { REQUEST_LATENCIES, TOKEN_LATENCIES } from "./bucket_layouts.ts";
import * as make from "./processes.ts";
import { shape, type ShapeGroups } from "./shapes.ts";

const { arriving, inOneBucket, mixture, moving } = make;

/** Shapes kept away from the tuning, of the same groups. */
export const HELD_OUT_SHAPES: ShapeGroups = {
  "smooth": [
    shape("log-normal 0.45", arriving(make.logNormal(0.45))),
    shape("Weibull 1.6", arriving(make.weibull(1.6))),
    shape("gamma 2.5", arriving(make.gamma(2.5))),
    shape("triangular", arriving(make.triangular)),
    shape("normal 10 %", arriving(make.normal(1, 0.1))),
    shape("normal 2 %", arriving(make.normal(1, 0.02))),
    shape("shifted exponential", arriving(make.mapped(make.gamma(1, 0.5), (value) => 0.5 + value))),
  ],
  "heavy tail": [
    shape("log-logistic", arriving(make.logLogistic(0.4))),
    shape(
      "hyper-exponential",
      arriving(mixture([0.85, make.gamma(1, 0.5)], [0.15, make.gamma(1, 4)])),
    ),
    shape("gamma, some beyond", arriving(make.gamma(2.5, 1.7)), { layouts: ["vllmShort"] }),
    shape("Weibull, some beyond", arriving(make.weibull(1.3)), { layouts: ["vllmShort"] }),
  ],
  "constant": [
    shape("constant", arriving(make.constant(1.13))),
    shape(
      "three constants",
      arriving(
        mixture([0.3, make.constant(0.5)], [0.4, make.constant(0.9)], [0.3, make.constant(3)]),
      ),
    ),
    shape(
      "constant 0.2 %, spikes",
      arriving(mixture([0.96, make.normal(1, 0.002)], [0.04, make.normal(6, 0.5)])),
    ),
    shape("steps of an eighth", arriving(make.mapped(make.logNormal(0.4), eighths))),
  ],
  "modes": [
    shape(
      "trimodal",
      arriving(
        mixture(
          [0.4, make.normal(0.3, 0.036)],
          [0.45, make.normal(1, 0.12)],
          [0.15, make.normal(3.5, 0.42)],
        ),
      ),
    ),
    shape("two in a bucket", inOneBucket([[0.35, 0.3, 0.06], [0.65, 0.75, 0.05]])),
    shape("two in a bucket, near", inOneBucket([[0.55, 0.25, 0.08], [0.45, 0.65, 0.08]])),
    shape("two in a bucket, sharp", inOneBucket([[0.7, 0.1, 0.005], [0.3, 0.9, 0.005]])),
    shape(
      "three in a bucket, uneven",
      inOneBucket([[0.6, 0.1, 0.04], [0.25, 0.45, 0.05], [0.15, 0.9, 0.02]]),
    ),
    shape("flat and a peak in a bucket", inOneBucket([[0.4, 0.75, 0.02], [0.6, 0.4, 0.15]])),
    shape(
      "two in a bucket, others around",
      inOneBucket([[0.5, 0.25, 0.06], [0.5, 0.85, 0.04]], {
        share: 0.25,
        draw: make.gamma(2, 1.2),
      }),
    ),
  ],
  "near bounds": [
    shape(
      "around the upper bound",
      inOneBucket([[0.5, 0.96, 0.02]], {
        share: 0.5,
        draw: make.normal(1.6, 0.3),
      }),
    ),
    shape(
      "just above the lower bound, far",
      inOneBucket([[1, 0.02, 0.01]], {
        share: 0.2,
        draw: make.uniform(2, 4),
      }),
    ),
  ],
  "wide bucket": [
    shape("gamma 8 far below", arriving(make.gamma(8)), { layouts: ["dynamoShort"] }),
    shape(
      "two modes far below",
      arriving(mixture([0.7, make.normal(0.5, 0.03)], [0.3, make.normal(1.6, 0.1)])),
      { layouts: ["dynamoShort"] },
    ),
    shape("few, gamma 20, far below", arriving(make.gamma(20)), {
      layouts: ["dynamoShort"],
      length: "tiny",
    }),
  ],
  "drift": [
    shape(
      "downwards",
      arriving(moving(make.logNormal(0.25), (at, { seconds }) => 1.9 * 0.35 ** (at / seconds))),
    ),
    shape(
      "warm-up",
      arriving(
        moving(make.logNormal(0.2), (at, { seconds }) => 1 + 3 * Math.exp(-9 * at / seconds)),
      ),
    ),
    shape(
      "two steps",
      arriving(
        moving(
          make.gamma(12),
          (at, { seconds }) => at < 0.3 * seconds ? 0.5 : at < 0.75 * seconds ? 1.1 : 2.6,
        ),
      ),
    ),
    shape(
      "daily",
      arriving(
        moving(
          make.normal(1, 0.08),
          (at, { seconds }) => 1.2 + 0.7 * Math.cos(9 * at / seconds),
        ),
      ),
    ),
    shape("slow walk", arriving(moving(make.gamma(20), make.randomWalk(0.4, 20)))),
  ],
  "sawtooth": [
    shape("12 s", arriving(moving(make.gamma(60), make.sawtooth(12, 4, 0.5)))),
    shape("30 s, fine", arriving(moving(make.normal(1, 0.02), make.sawtooth(30, 5, 0.4)))),
    shape(
      "up and down",
      arriving(moving(make.logNormal(0.15), (at) => 0.5 + 2 * Math.abs(at / 16 % 1 - 0.5))),
    ),
    shape(
      "3 s, reversed",
      arriving(moving(make.logNormal(0.12), (at) => 0.5 + 1.5 * (1 - at / 3 % 1))),
    ),
    shape(
      "queue",
      make.queued({
        servers: 4,
        load: 0.85,
        arrivalFactor: (at) => at % 25 < 10 ? 1.9 : 0.35,
        peak: 1.9,
        service: make.gamma(6),
        observed: "whole",
      }),
      { layouts: REQUEST_LATENCIES },
    ),
  ],
  "bursts": [
    shape("every 7 s", arriving(moving(make.gamma(10), (at) => at % 7 < 1.5 ? 3.2 : 0.8))),
    shape(
      "at random",
      arriving(moving(make.logNormal(0.25, 0.7), make.regimes(2, [1, 1, 1, 1, 3.5]))),
    ),
    shape("requests", make.requestBursts(40, 12, 5, 0.15)),
    shape(
      "queue, few servers",
      make.queued({
        servers: 2,
        load: 0.6,
        arrivalFactor: (at) => at % 8 < 1 ? 5 : 0.43,
        peak: 5,
        service: make.gamma(4),
        observed: "whole",
      }),
      { layouts: REQUEST_LATENCIES },
    ),
    shape(
      "waiting",
      make.queued({
        servers: 8,
        load: 0.7,
        arrivalFactor: (at) => at % 14 < 2 ? 4.5 : 0.35,
        peak: 4.5,
        service: make.gamma(3),
        observed: "wait",
      }),
    ),
    shape(
      "pauses",
      arriving((setting) => {
        const draw = make.gamma(15)(setting);
        return (at) => draw(at) + 5 * Math.max(0, 0.8 - at % 6);
      }),
    ),
    shape(
      "of whole requests",
      arriving((setting) => {
        const draw = make.logNormal(0.35, 0.7)(setting);
        const isSlow = (at: number) => at / setting.seconds * 7 % 1 > 0.75;
        return (at) => draw(at) * (isSlow(at) ? 1 + 3 * setting.random() : 1);
      }),
      { layouts: REQUEST_LATENCIES },
    ),
  ],
  "batches": [
    shape("of 12", make.batched(make.gamma(8), () => 12), {
      layouts: TOKEN_LATENCIES,
      rates: [50, 300],
    }),
    shape("of 64", make.batched(make.normal(1, 0.1), () => 64), {
      layouts: TOKEN_LATENCIES,
      rates: [400, 1500],
    }),
    shape(
      "of 4 to 24",
      make.batched(
        mixture([0.9, make.logNormal(0.1)], [0.1, make.logNormal(0.2, 2.5)]),
        (random) => 4 + 20 * random() ** 2,
      ),
      { rates: [60, 300] },
    ),
    shape(
      "of 20, drifting",
      make.batched(moving(make.logNormal(0.12), (at, { seconds }) => 0.7 + at / seconds), () => 20),
      { layouts: TOKEN_LATENCIES, rates: [200] },
    ),
  ],
  "tokens": [
    shape("gamma 1.7", make.whole(arriving(make.gamma(1.7))), { layouts: ["tokens"] }),
    shape(
      "two prompts",
      make.whole(
        arriving(mixture([0.55, make.normal(0.25, 0.01)], [0.45, make.normal(1.4, 0.05)])),
      ),
      { layouts: ["tokens"] },
    ),
  ],
  "few": [
    shape("gamma 5", arriving(make.gamma(5)), { length: "tiny" }),
    shape("normal 10 %", arriving(make.normal(1, 0.1)), { length: "tiny" }),
    shape("outliers", arriving(mixture([0.9, make.normal(1, 0.05)], [0.1, make.uniform(3, 8)])), {
      length: "tiny",
    }),
    shape("steps of an eighth", arriving(make.mapped(make.logNormal(0.3), eighths)), {
      length: "tiny",
    }),
  ],
};

function eighths(value: number): number {
  return Math.ceil(value * 8) / 8;
}
