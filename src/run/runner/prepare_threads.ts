import type { Pages } from "../../load/dataset/conversations/page_reader.ts";
import type { Dataset } from "../../load/dataset/load_dataset.ts";
import type { DistantTokenizerParts } from "../../load/dataset/tokenizers/distant_tokenizer.ts";
import type { TokenizerSource } from "../../load/dataset/tokenizers/tokenizer_source.ts";
import type { PayloadData } from "../../load/dataset/payloads/payload_table.ts";
import { someText } from "../../load/dataset/payloads/shared_texts.ts";
import type { DistantPatternsParts } from "../../measurement/answers/patterns/distant_patterns.ts";
import { mayBeForeign } from "../../measurement/answers/structured/may_be_foreign.ts";
import { openDataset } from "../../load/inputs/open_dataset.ts";
import { assertCheckedAnswers } from "./assert_checked_answers.ts";
import { checkServerObjectives, hasServerObjectives } from "./check_server_objectives.ts";
import { InputClient } from "./input_client.ts";
import { heldBackNote } from "./held_back_note.ts";
import { liveHost } from "./live_client.ts";
import { PageFeeder } from "./page_feeder.ts";
import { PatternClient } from "./pattern_client.ts";
import type { RunContext } from "./run_context.ts";
import type { RunThreads } from "./run_threads.ts";
import { sampledPayloads } from "./sampled_payloads.ts";
import { threadFacts } from "./thread_permissions.ts";
import { TokenizerClient } from "./tokenizer_client.ts";

/** What is said of a file whose bodies are not written down once more. */
const UNWRITTEN_INPUTS = "inputs.json is not written because the input file is streamed";

/**
 * Makes the prompts, and gives every thread what it needs.
 * @param begin called before the first file is written
 */
export async function prepareThreads(
  threads: RunThreads,
  context: RunContext,
  begin: () => Promise<void>,
): Promise<void> {
  const { plan, hooks, interrupt, machine } = context;
  const { clock, results, pool, gpuScraper, live, canaries } = threads;
  await live?.init();
  if (live !== undefined) hooks.onServing?.();
  const scrapes = threads.scraper && new MessageChannel();
  // A misspelt objective ends the run here: prompts may take long to make.
  const isScrapedFirst = scrapes !== undefined && hasServerObjectives(plan);
  if (isScrapedFirst) await beginScraping(threads, context, scrapes, isScrapedFirst);
  // The threads start up at the same time.
  const { pages, payloads, tokenizer } = await datasetOf(context);
  assertCheckedAnswers(plan, payloads.data, pages !== undefined);
  const heldBack = heldBackNote(plan, payloads);
  if (heldBack !== undefined) context.notes.warn(heldBack);
  const feeder = threads.feeder = pages && feederOf(pages, threads, context);
  await begin();
  const channels = Array.from({ length: plan.workers }, () => new MessageChannel());
  const gpuScrapes = gpuScraper && new MessageChannel();
  await Promise.all([
    results.init({
      plan,
      payloads: payloads.data,
      isPaged: feeder !== undefined,
      tokenizer: replyTokenizer(tokenizer, threads, context),
      patterns: replyPatterns(payloads.data, feeder !== undefined, threads),
      records: channels.map(({ port2 }) => port2),
      scrapes: scrapes?.port2,
      gpuScrapes: gpuScrapes?.port2,
      baseEpochNs: clock.baseEpochNs,
      machine,
      threads: threadFacts(
        plan,
        canaries?.orders.origin.host,
        hooks.live && liveHost(hooks.live),
        results.directory,
      ),
      isWatched: threads.watch !== undefined,
    }),
    pool.init(
      payloads.data,
      channels.map(({ port1 }) => port1),
      feeder && {
        pages: { arrivals: feeder.ring.buffer },
        scheduleZeroNs: payloads.data.conversations?.timestampNs[0] ?? 0,
      },
    ),
    isScrapedFirst ? undefined : beginScraping(threads, context, scrapes, isScrapedFirst),
    gpuScrapes && gpuScraper?.init(clock, plan, gpuScrapes.port1)
      .then(() => gpuScraper.baseline(interrupt)),
    threads.network?.init(clock),
    prepareSample(threads, context, payloads.data, pages),
    threads.systems?.init(),
  ]);
  results.setServers(await threads.inquiry.end());
  await threads.starts.init();
}

/** Gives the thread of --verify the prompts of its sample. */
async function prepareSample(
  { verify }: RunThreads,
  { interrupt, plan }: RunContext,
  payloads: PayloadData,
  pages: Pages | undefined,
): Promise<void> {
  const { sample = 0 } = plan.verify ?? {};
  await verify?.init(await sampledPayloads(payloads, pages, sample, interrupt));
}

/**
 * Has the scraper look at the servers for the first time.
 * @param isScrapedFirst whether it does so before prompts are made, to find misspelt objectives
 */
async function beginScraping(
  { scraper, clock }: RunThreads,
  { plan, interrupt, notes }: RunContext,
  scrapes: MessageChannel | undefined,
  isScrapedFirst: boolean,
): Promise<void> {
  if (scraper === undefined || scrapes === undefined) return;
  await scraper.init(clock, plan, scrapes.port1);
  const families = await scraper.baseline(interrupt, isScrapedFirst);
  if (!isScrapedFirst || families === undefined) return;
  const { reachable } = scraper;
  for (const warning of checkServerObjectives(plan, families, reachable)) notes.tell(warning);
}

/** Sends a file while it is read. */
function feederOf(
  pages: Pages,
  { control, pool, results }: RunThreads,
  { plan, notes }: RunContext,
): PageFeeder {
  notes.keep(UNWRITTEN_INPUTS);
  notes.notice(UNWRITTEN_INPUTS);
  return new PageFeeder(
    pages,
    control,
    {
      load: pool,
      results,
      // What caches could have had is found of the bodies.
      keepsBodies: plan.output.exportLevel === "raw" || plan.serverMetrics !== undefined,
      onFailure: ({ reason, text }) => pool.giveUp({ reason, text: notes.redact(text) }),
    },
    undefined,
    plan.shard,
  );
}

/** Creates the prompts: in another thread if patterns of a foreign tokenizer run. */
function datasetOf({ plan, hooks, interrupt, notes }: RunContext): Promise<Dataset> {
  const opening = {
    paging: hooks.paging,
    onWarning: (text: string) => notes.warn(text),
    onNotice: (text: string) => notes.notice(text),
  };
  return plan.tokenizer.kind === "builtin"
    ? openDataset(plan, interrupt, opening)
    : InputClient.load(plan, interrupt, opening);
}

/**
 * The tokenizer of the replies as the results thread gets it: foreign patterns run in a thread of
 * their own.
 */
function replyTokenizer(
  source: TokenizerSource,
  threads: RunThreads,
  { interrupt, notes }: RunContext,
): TokenizerSource | DistantTokenizerParts {
  if (source.kind !== "file") return source;
  threads.counting = new TokenizerClient(
    source.files,
    interrupt,
    (reason) => notes.warn(`The tokenizer thread died, tokens are not counted: ${reason}`),
  );
  return threads.counting.parts;
}

/**
 * Means of the results thread to test the patterns of expected answers and constraints; undefined if
 * no pattern needs a thread of its own.
 * @param isPaged whether other patterns may follow
 */
function replyPatterns(
  { constraints, expected }: PayloadData,
  isPaged: boolean,
  threads: RunThreads,
): DistantPatternsParts | undefined {
  const hasForeign = isPaged ||
    [constraints, expected].some((texts) => texts !== undefined && someText(texts, mayBeForeign));
  if (!hasForeign) return undefined;
  threads.patterns = new PatternClient();
  return threads.patterns.parts;
}
