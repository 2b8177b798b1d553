import { REQUEST_LATENCIES, TOKEN_LATENCIES } from "./bucket_layouts.ts";
import * as make from "./processes.ts";
import { shape, type ShapeGroups } from "./shapes.ts";

const { arriving, inOneBucket, mixture, moving } = make;

/** Shapes on which an estimator may be tuned. */
export const TUNING_SHAPES: ShapeGroups = {
  "smooth": [
    shape("log-normal 0.6", arriving(make.logNormal(0.6))),
    shape("log-normal 0.25", arriving(make.logNormal(0.25))),
    shape("gamma 4", arriving(make.gamma(4))),
    shape("exponential", arriving(make.gamma(1))),
    shape("uniform", arriving(make.uniform(0.2, 2))),
    shape("normal 5 %", arriving(make.normal(1, 0.05))),
    shape("normal 15 %", arriving(make.normal(1, 0.15))),
  ],
  "heavy tail": [
    shape("Pareto 1.8", arriving(make.pareto(1.8))),
    shape("log-normal 1.2", arriving(make.logNormal(1.2, 0.7))),
    shape("log-normal, some beyond", arriving(make.logNormal(0.8)), { layouts: ["vllmShort"] }),
    shape("exponential, some beyond", arriving(make.gamma(1, 1.3)), { layouts: ["vllmShort"] }),
  ],
  "constant": [
    shape("constant", arriving(make.constant(1))),
    shape(
      "two constants",
      arriving(mixture([0.7, make.constant(0.6)], [0.3, make.constant(1.7)])),
    ),
    shape("constant 0.5 %", arriving(make.normal(1, 0.005))),
    shape(
      "constant, outliers",
      arriving(mixture([0.97, make.constant(1)], [0.03, make.uniform(2, 9)])),
    ),
  ],
  "modes": [
    shape(
      "bimodal",
      arriving(mixture([0.7, make.logNormal(0.25, 0.5)], [0.3, make.logNormal(0.3, 2.5)])),
    ),
    shape("two in a bucket", inOneBucket([[0.6, 0.2, 0.04], [0.4, 0.8, 0.04]])),
    shape("two in a bucket, uneven", inOneBucket([[0.85, 0.3, 0.05], [0.15, 0.85, 0.03]])),
    shape(
      "three in a bucket",
      inOneBucket([[0.4, 0.12, 0.03], [0.3, 0.5, 0.03], [0.3, 0.88, 0.03]]),
    ),
    shape(
      "mode and floor",
      arriving(mixture([0.93, make.normal(1, 0.03)], [
        0.07,
        make.uniform(0.5, 4),
      ])),
    ),
    shape(
      "two in a bucket, tail",
      inOneBucket([[0.6, 0.15, 0.05], [0.4, 0.7, 0.05]], {
        share: 0.12,
        draw: make.logNormal(0.5, 2.2),
      }),
    ),
  ],
  "near bounds": [
    shape("below the upper bound", inOneBucket([[1, 0.975, 0.015]])),
    shape("above the lower bound", inOneBucket([[1, 0.03, 0.02]])),
    shape("at both bounds", inOneBucket([[0.6, 0.03, 0.015], [0.4, 0.97, 0.015]])),
  ],
  "wide bucket": [
    shape("log-normal 0.2 far below", arriving(make.logNormal(0.2)), { layouts: ["dynamoShort"] }),
    shape("normal 5 % far below", arriving(make.normal(1, 0.05)), { layouts: ["dynamoShort"] }),
    shape("few far below", arriving(make.normal(1, 0.08)), {
      layouts: ["dynamoShort"],
      length: "tiny",
    }),
  ],
  "drift": [
    shape(
      "upwards",
      arriving(moving(make.logNormal(0.3), (at, { seconds }) => 0.6 + at / seconds)),
    ),
    shape(
      "wave",
      arriving(
        moving(make.logNormal(0.2), (at, { seconds }) => 1 + 0.6 * Math.sin(12 * at / seconds)),
      ),
    ),
    shape(
      "step",
      arriving(
        moving(make.logNormal(0.3), (at, { seconds }) => at < 0.55 * seconds ? 0.7 : 1.8),
      ),
    ),
    shape("random walk", arriving(moving(make.logNormal(0.2), make.randomWalk(0.5, 8)))),
    shape("fast walk", arriving(moving(make.logNormal(0.15), make.randomWalk(0.4, 1)))),
  ],
  "sawtooth": [
    shape("20 s", arriving(moving(make.logNormal(0.1), make.sawtooth(20, 3)))),
    shape("8 s, wide", arriving(moving(make.logNormal(0.3), make.sawtooth(8, 4, 0.4)))),
    shape("5 s, sharp", arriving(moving(make.logNormal(0.03), make.sawtooth(5, 2)))),
    shape(
      "queue",
      make.queued({
        servers: 8,
        load: 0.8,
        arrivalFactor: (at) => at % 15 < 5 ? 2.2 : 0.4,
        peak: 2.2,
        service: make.logNormal(0.3),
        observed: "whole",
      }),
      { layouts: REQUEST_LATENCIES },
    ),
  ],
  "bursts": [
    shape(
      "slow tenths",
      arriving((setting) => {
        const draw = make.logNormal(0.3, 0.6)(setting);
        const isSlow = (at: number) => at / setting.seconds * 10 % 1 > 0.8;
        return (at) => draw(at) * (isSlow(at) ? 1 + 2 * setting.random() : 1);
      }),
    ),
    shape("requests", make.requestBursts("period", 12, 3, 0.08)),
    shape(
      "queue",
      make.queued({
        servers: 16,
        load: 0.7,
        arrivalFactor: (at) => at % 20 < 3 ? 5 : 0.3,
        peak: 5,
        service: make.logNormal(0.4),
        observed: "whole",
      }),
      { layouts: REQUEST_LATENCIES },
    ),
    shape(
      "waiting",
      make.queued({
        servers: 4,
        load: 0.75,
        arrivalFactor: (at) => at % 10 < 2 ? 4 : 0.25,
        peak: 4,
        service: make.logNormal(0.2),
        observed: "wait",
      }),
    ),
    shape("stalls", arriving(moving(make.logNormal(0.2), (at) => at % 9 < 0.5 ? 5 : 1))),
    shape("regimes", arriving(moving(make.logNormal(0.15), make.regimes(6, [0.6, 1, 2.4])))),
  ],
  "batches": [
    shape("of 32", make.batched(make.logNormal(0.3), () => 32), {
      layouts: TOKEN_LATENCIES,
      rates: [100, 400],
    }),
    shape(
      "of 1 to 41",
      make.batched(
        mixture([0.95, make.normal(1, 0.06)], [0.05, make.uniform(2, 5)]),
        (random) => 1 + 40 * random(),
      ),
      { layouts: TOKEN_LATENCIES, rates: [100, 1000] },
    ),
    shape("of 8, nearly alike", make.batched(make.logNormal(0.5), () => 8, 0.05), {
      rates: [30, 200],
    }),
  ],
  "tokens": [
    shape("prompts", make.whole(arriving(make.logNormal(0.8))), { layouts: ["tokens"] }),
    shape(
      "outputs cut at a maximum",
      make.whole(arriving(make.mapped(make.logNormal(0.7), (value) => Math.min(1.5, value)))),
      { layouts: ["tokens"] },
    ),
  ],
  "few": [
    shape("log-normal", arriving(make.logNormal(0.5)), { length: "tiny" }),
    shape("normal 4 %", arriving(make.normal(1, 0.04)), { length: "tiny" }),
    shape("constant", arriving(make.constant(1)), { length: "tiny" }),
    shape(
      "bimodal",
      arriving(mixture([0.6, make.normal(0.6, 0.05)], [0.4, make.normal(2, 0.2)])),
      { length: "tiny" },
    ),
  ],
};
