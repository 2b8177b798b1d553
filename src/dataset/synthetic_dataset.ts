import type { EndpointType } from "../endpoint/endpoint_type.ts";
import type { DatasetPlan, RunPlan } from "../plan/run_plan.ts";
import { randomStream } from "../statistics/random_stream.ts";
import { type BodyFrame, BodyTemplate } from "./body_template.ts";
import { Corpus } from "./corpus.ts";
import { type MeasuredWindow, MeasuredWindows } from "./measured_windows.ts";
import { LoadPause } from "./load_pause.ts";
import { NO_COUNT, type PayloadTable, PayloadTableBuilder } from "./payload_table.ts";
import { PromptWindows } from "./prompt_windows.ts";
import { drawTurns } from "./synthetic_turns.ts";
import { tokenLength } from "./token_lengths.ts";
import type { Tokenizer } from "./tokenizer.ts";

/**
 * Makes prompts of exact token lengths out of the embedded corpus.
 *
 * @param tokenizer counts the tokens; undefined for the builtin one, whose counts the corpus carries
 * @param interrupt ends it
 */
export async function syntheticDataset(
  plan: Pick<RunPlan, "seed" | "models" | "body" | "turnDelays">,
  dataset: Extract<DatasetPlan, { source: "synthetic" }>,
  type: EndpointType,
  tokenizer: Tokenizer | undefined,
  interrupt: AbortSignal = new AbortController().signal,
): Promise<PayloadTable> {
  const { seed } = plan;
  const pause = new LoadPause(interrupt);
  const corpus = await Corpus.load();
  const random = randomStream(seed, "dataset.windows");
  const windows = tokenizer === undefined
    ? exactWindows(corpus, new PromptWindows(corpus, random))
    : new MeasuredWindows(corpus, random, tokenizer);
  const turns = dataset.turns && drawTurns(plan, dataset, dataset.turns);
  const entries = turns?.count ?? dataset.entries + dataset.warmupEntries;
  const drawn: MeasuredWindow[] = [];
  let arenaEnd = 0;
  for (let index = 0; index < entries; index++) {
    const { inputTokensMean, inputTokensStddev } = dataset;
    const tokens = tokenLength(inputTokensMean, inputTokensStddev, seed, "dataset.isl", index);
    const window = windows.next(tokens);
    if (pause.isDue) await pause.take();
    drawn.push(window);
    arenaEnd = Math.max(arenaEnd, window.offset + window.length);
  }
  const rounds = Math.max(1, Math.ceil(arenaEnd / corpus.text.length));
  const builder = new PayloadTableBuilder(rounds * corpus.text.length + 65_536);
  for (let round = 0; round < rounds; round++) builder.addSegment(corpus.text);
  const templates = plan.models.map((model) =>
    new BodyTemplate(type, { ...plan.body, model }, builder)
  );
  for (const [index, window] of drawn.entries()) {
    if (pause.isDue) await pause.take();
    const { outputTokensMean: mean, outputTokensStddev: stddev } = dataset;
    const outputTokens = mean === undefined
      ? undefined
      : tokenLength(mean, stddev, seed, "dataset.osl", index);
    const frames = templates.map((template) => template.frame(outputTokens));
    const [body = [], ...others] = frames.map(({ before, after }) => [before, window, after]);
    const counts = {
      inputTokens: window.tokens,
      outputTokens: outputTokens ?? NO_COUNT,
      images: 0,
    };
    if (turns === undefined) {
      builder.addEntry(body, counts, undefined, others);
      continue;
    }
    const { isFirst, delayNs } = turns.of(index);
    if (isFirst) builder.beginConversation();
    const { before, messages } = frames[0] as BodyFrame;
    builder.addTurn(body, counts, {
      delayNs,
      timestampNs: NaN,
      messages: messages && {
        start: messages.start,
        end: before.length + window.length + messages.endAfter,
      },
      followsHistory: true,
    }, others);
  }
  return builder.finish(turns?.warmupCount ?? dataset.warmupEntries);
}

/** Windows whose token counts need no tokenizer. */
function exactWindows(corpus: Corpus, windows: PromptWindows): {
  next(tokens: number): MeasuredWindow;
} {
  return {
    next(tokens: number): MeasuredWindow {
      // A window cannot have more words than tokens, so any length is found sooner or later.
      if (tokens > corpus.tokens * 1000) {
        throw new RangeError(`Prompt is too long: ${tokens} tokens`);
      }
      return { ...windows.next(tokens), tokens };
    },
  };
}
