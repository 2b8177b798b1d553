import { completionsInBlocks } from "../metrics/completions_in_blocks.ts";
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
  const { good, requests, tokensIn } = completionsInBlocks(
    table,
    count,
    (timeNs) => blocks.indexOf(timeNs),
  );
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
