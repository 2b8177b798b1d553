import type { FlawTexts } from "../../client/record/flaw_texts.ts";
import type { RawReply } from "../../client/record/record_block.ts";
import type { RequestRecord } from "./request_record.ts";

/** A record with everything that belongs to it. */
export interface FullRecord {
  readonly record: RequestRecord;
  readonly requestId: string;
  /** Request ID of its session's first turn; undefined if this is it, and where it is not kept. */
  readonly correlationId?: string | undefined;
  readonly finishReason: string | null;
  /** The reason of its failure, undefined for a valid request. */
  readonly error: string | undefined;
  /** Place and reason of the first flaw of its reply; undefined for none. */
  readonly flaw?: string | undefined;
  /** Excerpts that show the flaw; undefined except for the first flaws of a run. */
  readonly flawTexts?: FlawTexts | undefined;
  readonly rawReply: RawReply | undefined;
}
