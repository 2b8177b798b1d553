/** Thread that asks the sample of `--verify drift`. It may connect only to the inference servers. */

import { configuredType } from "../../client/endpoint/endpoint_types.ts";
import { pauseUnless } from "../../core/thread/timers.ts";
import { workerScope } from "../../core/thread/worker_scope.ts";
import { DriftAsker } from "./drift_asker.ts";
import type { FromVerifyThread, ToVerifyThread } from "./messages.ts";
import { samplePrompts } from "./sample_prompts.ts";
import { SampleSender } from "./sample_sender.ts";

const scope = workerScope();
const toMain = (message: FromVerifyThread): void => scope.postMessage(message);
let asker: DriftAsker | undefined;

scope.onmessage = async ({ data: message }: MessageEvent<ToVerifyThread>) => {
  switch (message.type) {
    case "init":
      asker = askerOf(message);
      break;
    case "quiet":
      await asker?.quiet();
      toMain({ type: "asked" });
      break;
    case "load":
      asker?.beginLoad(message.delayMs);
      break;
    case "loadOver":
      await asker?.endLoad();
      toMain({ type: "asked" });
      break;
    case "finish":
      toMain({ type: "answers", answers: asker?.answers });
      break;
  }
};

function askerOf(
  { payloads, plan }: Extract<ToVerifyThread, { type: "init" }>,
): DriftAsker | undefined {
  const phase = plan.phases.at(-1);
  const sample = plan.verify?.sample;
  if (sample === undefined || phase === undefined) return undefined;
  const prompts = samplePrompts(configuredType(plan), payloads, sample, plan.seed);
  const sender = new SampleSender(plan, prompts.map(({ body }) => body));
  return new DriftAsker({
    phase,
    prompts: prompts.map(({ fingerprint }) => fingerprint),
    ask: (prompt, pass, signal) => sender.ask(prompt, pass, signal),
    nowMs: () => performance.now(),
    wait: (ms, signal) => pauseUnless(signal, ms),
  });
}

toMain({ type: "ready" });
