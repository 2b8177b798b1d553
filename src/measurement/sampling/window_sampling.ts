import type { MetricTag } from "../metrics/metric_tag.ts";
import {
  type BlockRates,
  type SampledRequests,
  type SamplingErrors,
  samplingErrors,
} from "./sampling_errors.ts";
import type { TimeBlocks } from "./time_blocks.ts";

/** Sampling errors of the requests of a window, and of its rates by what completes in each block. */
export function windowSampling(sampled: SampledRequests): SamplingErrors {
  return samplingErrors(sampled, (blocks) => ratesOf(sampled, blocks));
}

function ratesOf({ endNs, startNs, table }: SampledRequests, blocks: TimeBlocks): BlockRates {
  const { count } = blocks;
  const blockNs = (endNs - startNs) / count;
  const [requests, good, tokensIn] = [0, 0, 0].map(() => new Float64Array(count)) as [
    ...[Float64Array, Float64Array, Float64Array],
  ];
  const add = (
    ends: Float64Array,
    tokens: Float64Array | undefined,
    areGood: Float64Array,
  ): void => {
    for (let row = 0; row < ends.length; row++) {
      const block = blocks.indexOf(ends[row] as number);
      if (block < 0) continue;
      requests[block] = (requests[block] as number) + 1;
      good[block] = (good[block] as number) + (areGood[row] || 0);
      tokensIn[block] = (tokensIn[block] as number) + (tokens?.[row] || 0);
    }
  };
  const { straddling } = table;
  add(table.contentEndNs.values, table.column("input_sequence_length"), table.counts("good"));
  add(straddling.contentEndNs.values, straddling.inputTokens.values, straddling.good.values);
  const tokensOut = Float64Array.from({ length: count }, (_, block) => {
    const fromNs = startNs + block * blockNs;
    return table.activity.tokensWithin(fromNs, fromNs + blockNs);
  });
  return {
    seconds: blockNs / 1e9,
    counts: new Map<MetricTag, Float64Array>([
      ["request_throughput", requests],
      ["goodput", good],
      ["input_token_throughput", tokensIn],
      ["output_token_throughput", tokensOut],
      ["tokens_per_gpu", tokensOut.map((tokens) => tokens / (table.options.context.gpus ?? NaN))],
      ["total_token_throughput", tokensOut.map((tokens, at) => tokens + (tokensIn[at] as number))],
    ]),
  };
}
