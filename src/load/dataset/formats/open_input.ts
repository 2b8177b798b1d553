import type { FileDatasetPlan } from "../../../config/plan/run_plan.ts";
import { BlockText } from "../corpus/block_text.ts";
import type { Conversation } from "../conversations/conversation.ts";
import { DatasetError } from "../../../core/files/dataset_error.ts";
import type { InputContext, OpenInput } from "../load_dataset.ts";
import { ExpectedReader } from "./expected_reader.ts";
import { detectFormat } from "./detect_format.ts";
import type { FormatContext } from "./input_format.ts";
import { detectionNotice } from "./input_notices.ts";
import { InputSource } from "./input_source.ts";
import { pagingObstacle } from "./paging_obstacle.ts";
import { replayed } from "./replayed.ts";

/**
 * Opens an input file and detects its format without reading it further.
 * @throws {DatasetError} if the file does not exist, or its format cannot be detected
 */
export async function openInput(
  dataset: FileDatasetPlan,
  context: InputContext,
): Promise<OpenInput> {
  const { seed, tokenizer, interrupt } = context;
  const source = await InputSource.open(dataset.path, interrupt);
  const { format, why, hasTimestamps } = await detectFormat(source, dataset.format);
  if (why !== undefined) context.note(detectionNotice(dataset.path, format, why));
  if (hasTimestamps && dataset.format === undefined && dataset.schedule === undefined) {
    context.warn(`${dataset.path}: ${UNPLAYED}`);
  }
  if (dataset.schedule !== undefined && format.isTimed !== true) {
    throw new DatasetError(
      dataset.path,
      undefined,
      `Rows of ${format.name} have no times, which --fixed-schedule needs`,
    );
  }
  const expected = new ExpectedReader(context.checksAnswers === true, (text) => context.warn(text));
  let text: Promise<BlockText> | undefined;
  let reads = 0;
  let isPaged = false;
  async function* conversations(): AsyncGenerator<Conversation> {
    const isFirst = reads++ === 0;
    const formatContext: FormatContext = {
      ...context,
      // Once is enough, however often the file is read.
      warn: (text) => isFirst ? context.warn(text) : undefined,
      dataset,
      isPaged,
      blockText: () => text ??= BlockText.load(seed, tokenizer),
      expectedOf: (...row) => expected.expectedOf(...row),
      requireTime: dataset.schedule === undefined ? () => {} : timeRequirement(),
    };
    const read = format.read(source, formatContext);
    const { schedule, synthesis: { speedup }, path } = dataset;
    let [hasRows, isEmpty, hasFailed] = [false, true, false];
    const rows = async function* (): AsyncGenerator<Conversation> {
      for await (const conversation of read) {
        hasRows = true;
        yield conversation;
      }
    };
    try {
      for await (const conversation of replayed(rows(), schedule, speedup)) {
        isEmpty = false;
        yield conversation;
      }
    } catch (error) {
      hasFailed = true;
      throw error;
    } finally {
      // Also where the run needs no more rows.
      if (isFirst && !hasFailed) source.unreadNotices().forEach((text) => context.warn(text));
    }
    if (!isEmpty) return;
    throw new DatasetError(
      path,
      undefined,
      hasRows ? "No row is within the schedule" : "File has no rows, or none that can be sent",
    );
  }
  return {
    path: dataset.path,
    conversations,
    isStream: source.isStream,
    isLong: async (bytes) =>
      source.isStream
        ? !(await source.endsWithin(STREAM_WAIT_MS, bytes))
        : await source.size() >= bytes,
    pagingObstacle: () => pagingObstacle(source, format, dataset),
    async beginPaging() {
      isPaged = true;
      await source.hold();
    },
    close: () => source.close(),
  };
}

/** Checks that a file has what a schedule needs: times, of sessions that of the first record. */
function timeRequirement(): FormatContext["requireTime"] {
  const sessions = new Set<string>();
  return (record, session, timestampMs) => {
    const isLater = session !== undefined && sessions.has(session);
    if (session !== undefined) sessions.add(session);
    if (timestampMs === undefined && !isLater) {
      throw record.error("Has no timestamp, which --fixed-schedule needs");
    }
  };
}

/** A stream that has not ended by then is sent while it comes. */
const STREAM_WAIT_MS = 1000;

/** Notice about times that are not replayed. */
const UNPLAYED = "It has timestamps, which are not replayed: --fixed-schedule replays " +
  "them, --no-fixed-schedule says that they are not wanted";
