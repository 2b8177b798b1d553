import type { FileDatasetPlan } from "../../plan/run_plan.ts";
import { BlockText } from "../block_text.ts";
import type { Conversation } from "../conversation.ts";
import { DatasetError } from "../dataset_error.ts";
import type { InputContext } from "../load_dataset.ts";
import { detectFormat } from "./detect_format.ts";
import type { FormatContext } from "./input_format.ts";
import { InputSource } from "./input_source.ts";
import { detectionNotice } from "./input_notices.ts";
import { replayed } from "./replayed.ts";

/**
 * The conversations of an input file, as they are to be sent.
 * @throws {DatasetError} naming file, line and column of what is wrong
 */
export async function* readInput(
  dataset: FileDatasetPlan,
  context: InputContext,
): AsyncGenerator<Conversation> {
  const { seed, tokenizer, interrupt } = context;
  const source = await InputSource.open(dataset.path, interrupt);
  const { format, why, hasTimestamps } = await detectFormat(source, dataset.format);
  if (why !== undefined) context.note(detectionNotice(dataset.path, format, why));
  if (hasTimestamps && dataset.format === undefined && dataset.schedule === undefined) {
    context.warn(`${dataset.path}: ${UNPLAYED}`);
  }
  const sessions = new Set<string>();
  let text: Promise<BlockText> | undefined;
  const formatContext: FormatContext = {
    ...context,
    dataset,
    blockText: () => text ??= BlockText.load(seed, tokenizer),
    requireTime(record, session, timestampMs) {
      if (dataset.schedule === undefined) return;
      const isLater = session !== undefined && sessions.has(session);
      if (session !== undefined) sessions.add(session);
      if (timestampMs === undefined && !isLater) {
        throw record.error("Has no timestamp, which --fixed-schedule needs");
      }
    },
  };
  const conversations = format.read(source, formatContext);
  let isEmpty = true;
  for await (
    const conversation of replayed(conversations, dataset.schedule, dataset.synthesis.speedup)
  ) {
    isEmpty = false;
    yield conversation;
  }
  if (!isEmpty) return;
  throw new DatasetError(
    dataset.path,
    undefined,
    dataset.schedule === undefined ? "File has no rows" : "No row is within the schedule",
  );
}

/** What is said of times that are not replayed. */
export const UNPLAYED = "It has timestamps, which are not replayed: --fixed-schedule replays " +
  "them, --no-fixed-schedule says that they are not wanted";
