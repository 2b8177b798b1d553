import type { Pages } from "../../load/dataset/conversations/page_reader.ts";
import type { PayloadData } from "../../load/dataset/payloads/payload_table.ts";

/**
 * The prompts that the sample of --verify is taken from: all of them, or the first ones of a file that
 * is sent while it is read.
 * @param count prompts of the sample
 * @throws {DatasetError} if the file cannot be read, or the interrupt's reason
 */
export async function sampledPayloads(
  all: PayloadData,
  pages: Pages | undefined,
  count: number,
  interrupt: AbortSignal,
): Promise<PayloadData> {
  if (pages === undefined) return all;
  // The generator ends with the first page: only one phase may read the file.
  for await (
    const { data } of pages.pages({ conversations: count, isSchedule: false }, interrupt)
  ) {
    return data;
  }
  return all;
}
