import type { PageReader } from "../../load/dataset/conversations/page_reader.ts";
import { type Dataset, loadDataset } from "../../load/dataset/load_dataset.ts";
import { whileBlocking } from "../../core/thread/signal_pause.ts";
import { checkServerObjectives, hasServerObjectives } from "./check_server_objectives.ts";
import { heldBackNote } from "./held_back_note.ts";
import { liveHost } from "./live_client.ts";
import { PageFeeder } from "./page_feeder.ts";
import type { RunContext } from "./run_context.ts";
import type { RunThreads } from "./run_threads.ts";
import { threadFacts } from "./thread_permissions.ts";

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
  // The threads start up while the prompts are made.
  const { pages, payloads, tokenizer } = plan.tokenizer.kind === "builtin"
    ? await datasetOf(context)
    : await whileBlocking(() => datasetOf(context)); // Its patterns are foreign.
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
      tokenizer,
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
    threads.systems?.init(),
  ]);
  results.setServers(await threads.inquiry.end());
  await threads.starts.init();
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
  pages: PageReader,
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
      keepsBodies: plan.output.exportLevel === "raw",
      onFailure: ({ reason, text }) => pool.giveUp({ reason, text: notes.redact(text) }),
    },
    undefined,
    plan.shard,
  );
}

function datasetOf({ plan, hooks, interrupt, notes }: RunContext): Promise<Dataset> {
  return loadDataset(plan, interrupt, {
    async openInput(dataset, context) {
      // Readers of files are large, and few runs need them.
      if (dataset.public === undefined) {
        const { openInput } = await import("../../load/dataset/formats/open_input.ts");
        return await openInput(dataset, context);
      }
      const { openPublicDataset } = await import(
        "../../load/dataset/public/read_public_dataset.ts"
      );
      return await openPublicDataset({ ...dataset, public: dataset.public }, context);
    },
    paging: hooks.paging,
    onWarning: (text) => notes.warn(text),
    onNotice: (text) => notes.notice(text),
  });
}
