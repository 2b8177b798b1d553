import type { EndpointType } from "../../../client/endpoint/protocol/endpoint_type.ts";
import type { Conversation } from "./conversation.ts";
import { ConversationTableMaker, type TablePlan } from "./conversation_table_maker.ts";
import { DatasetError } from "../../../core/files/dataset_error.ts";
import type { InputTemplate } from "./input_template.ts";
import { LoadPause } from "./load_pause.ts";
import type { PayloadPage } from "../payloads/payload_page.ts";
import { untilAborted } from "../../../core/thread/until_aborted.ts";
import type { Tokenizer } from "../tokenizers/tokenizer.ts";

/** When a file is sent while it is read, and in pieces of which size. */
export interface Paging {
  /** Smaller files are read before the first request. */
  readonly minFileBytes: number;
  /**
   * Size of the bodies and columns at which a page is complete, in bytes; a
   * page also ends at its maximum number of conversations. A larger conversation has a page of its own.
   */
  readonly pageBytes: number;
  readonly pageConversations: number;
  /** Size at which the first page is complete, in bytes: the first request waits for this page. */
  readonly firstPageBytes: number;
}

/** The paging of runs. */
export const PAGING: Paging = {
  minFileBytes: 64 * 1024 * 1024,
  pageBytes: 4 * 1024 * 1024,
  pageConversations: 2048,
  firstPageBytes: 512 * 1024,
};

/** The paging of recorded sessions: their bodies are longer than their files, and they take long. */
export const SESSION_PAGING: Paging = {
  ...PAGING,
  minFileBytes: 16 * 1024 * 1024,
  pageBytes: 1024 * 1024,
};

/** Memory of a request in addition to its body, roughly. */
const ENTRY_BYTES = 256;

/** Silence after which a stream is treated as having no more data for now, in milliseconds. */
const SLOW_MS = 20;

/** The source of pages. */
export interface PageSource {
  readonly path: string;
  /** Whether it comes while it is read, perhaps slowly, and perhaps without end. */
  readonly isStream: boolean;
  /** Conversations of the file from its beginning. */
  conversations(): AsyncIterable<Conversation>;
  /** Ends with the file. */
  close(): void;
}

/** How far a phase reads. */
export interface PageExtent {
  /** Conversations that it can use at most. */
  readonly conversations: number;
  /** Whether the conversations are sent at their times, once each. */
  readonly isSchedule: boolean;
}

/** Source of the pages of a large file, in this thread or in another one. */
export interface Pages {
  /**
   * Yields the pages of a phase.
   * @throws {DatasetError} naming the place that is wrong, or the interrupt's reason
   */
  pages(extent: PageExtent, interrupt: AbortSignal): AsyncGenerator<PayloadPage>;
  /** Closes the file. */
  close(): void;
}

/** Makes the pages of a large file, as they are asked for. */
export class PageReader implements Pages {
  readonly #source: PageSource;
  readonly #plan: TablePlan;
  readonly #type: EndpointType;
  readonly #tokenizer: Tokenizer | undefined;
  readonly #paging: Paging;
  readonly #chatTemplate: InputTemplate | undefined;
  readonly #marksWarmup: boolean;
  readonly #isOnce: boolean;

  /** @param options `isOnce`: whether a phase ends with the file, and does not begin it again */
  constructor(
    source: PageSource,
    plan: TablePlan,
    type: EndpointType,
    tokenizer: Tokenizer | undefined,
    paging: Paging,
    { chatTemplate, marksWarmup = false, isOnce = false }: {
      readonly chatTemplate?: InputTemplate | undefined;
      readonly marksWarmup?: boolean;
      readonly isOnce?: boolean;
    } = {},
  ) {
    this.#isOnce = isOnce;
    this.#chatTemplate = chatTemplate;
    this.#marksWarmup = marksWarmup;
    this.#source = source;
    this.#plan = plan;
    this.#type = type;
    this.#tokenizer = tokenizer;
    this.#paging = paging;
  }

  /** Closes the file. */
  close(): void {
    this.#source.close();
  }

  /**
   * Yields the pages of a phase. Without a schedule the file is reread from its beginning as long
   * as there is something to send.
   * @throws {DatasetError} naming the place that is wrong
   */
  async *pages(
    { conversations, isSchedule }: PageExtent,
    interrupt: AbortSignal,
  ): AsyncGenerator<PayloadPage> {
    const pause = new LoadPause(interrupt);
    const { isStream, path } = this.#source;
    const maker = new ConversationTableMaker(this.#plan, this.#type, this.#tokenizer, path, {
      chatTemplate: this.#chatTemplate,
      marksWarmup: this.#marksWarmup,
    });
    let taken = { conversations: 0, entries: 0, fileEntries: 0 };
    let [total, pass] = [0, 0];
    let lastMs = -Infinity;
    const page = (count: number): PayloadPage => {
      const { data } = maker.take(true);
      const { conversations, entries, fileEntries } = taken;
      taken = {
        conversations: conversations + count,
        entries: entries + data.profilingEntries,
        fileEntries: fileEntries + data.profilingEntries,
      };
      return {
        data,
        firstConversation: conversations,
        firstEntry: entries,
        fileEntry: fileEntries,
        pass,
      };
    };
    while (total < conversations) {
      maker.restart();
      const source = this.#source.conversations()[Symbol.asyncIterator]();
      try {
        while (total < conversations) {
          if (pause.isDue) await pause.take();
          const next = untilAborted(source.next(), interrupt);
          // What has come of a stream does not wait for what is to come.
          if (isStream && total > taken.conversations && await isSlow(next)) {
            yield page(total - taken.conversations);
          }
          const { value: conversation, done } = await next;
          if (done) break;
          if (isSchedule) lastMs = laterMs(conversation, lastMs, path, maker.count);
          maker.add(conversation);
          total++;
          if (total >= conversations) break;
          if (this.#isFull(maker, total - taken.conversations, taken.conversations === 0)) {
            yield page(total - taken.conversations);
          }
        }
      } finally {
        await endReading(source, isStream);
      }
      // A page never goes over the end of the file: names and entries begin anew behind it.
      if (total > taken.conversations) yield page(total - taken.conversations);
      taken = { ...taken, fileEntries: 0 };
      pass++;
      if (isSchedule || this.#isOnce) return;
    }
  }

  #isFull(maker: ConversationTableMaker, count: number, isFirst: boolean): boolean {
    const { pageBytes, pageConversations, firstPageBytes } = this.#paging;
    const size = maker.bytes + maker.entries * ENTRY_BYTES;
    return size >= (isFirst ? firstPageBytes : pageBytes) || count >= pageConversations;
  }
}

/** Ends reading: a file has one reader at a time, and a stream may wait for what never comes. */
async function endReading(source: AsyncIterator<unknown>, isStream: boolean): Promise<void> {
  const left = source.return?.();
  if (isStream) left?.catch(() => {});
  else await left;
}

/** Whether some work takes longer than reading data that has already arrived. */
function isSlow(work: Promise<unknown>): Promise<boolean> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(true), SLOW_MS);
    const onEnd = (): void => {
      clearTimeout(timer);
      resolve(false);
    };
    work.then(onEnd, onEnd);
  });
}

/** The time of a conversation, which is not before that of the one before it. */
function laterMs(
  { id, turns }: Conversation,
  lastMs: number,
  path: string,
  number: number,
): number {
  const timestampMs = turns[0]?.timestampMs ?? NaN;
  if (timestampMs >= lastMs) return timestampMs;
  throw new DatasetError(
    path,
    undefined,
    `Conversation ${id ?? number} begins at ${timestampMs} ms, before the one in front of it ` +
      `(${lastMs} ms): it is sent while it is read, so sort it by its times`,
  );
}
