import { replaysSessions } from "../../config/plan/replays_sessions.ts";
import type { RunPlan } from "../../config/plan/run_plan.ts";
import type { PageWindow } from "../../load/dataset/payloads/page_window.ts";
import {
  hasSessions,
  type PayloadData,
  type PayloadSource,
} from "../../load/dataset/payloads/payload_table.ts";
import type { RequestRecord } from "../../measurement/metrics/request_record.ts";
import type { SessionBook } from "../../measurement/metrics/session_book.ts";
import type { UnsentCall } from "../../report/export/requests/unsent_line.ts";
import { sessionFactsOf } from "./session_facts_of.ts";
import { SessionPasses } from "./session_passes.ts";
import { UnsentCalls } from "./unsent_calls.ts";

/** Payloads of a run. */
export interface RunPayloads {
  readonly payloads: PayloadSource;
  /** The first ones, without the conversations of pages. */
  readonly data: PayloadData;
  /** Conversations of a file that is sent while it is read. */
  readonly pages: PageWindow | undefined;
}

/** Facts of the sessions of a run, and their calls that were not sent because others failed. */
export class RunSessions {
  readonly #plan: RunPlan;
  readonly #payloads: PayloadSource;
  readonly #pages: PageWindow | undefined;
  readonly #book: SessionBook;
  readonly #passes: SessionPasses;
  /** undefined without recorded sessions. */
  readonly #unsent: UnsentCalls | undefined;

  /** @param book of the profiling phase, which gets the facts */
  constructor(plan: RunPlan, { data, pages, payloads }: RunPayloads, book: SessionBook) {
    this.#plan = plan;
    this.#payloads = payloads;
    this.#pages = pages;
    this.#book = book;
    this.#passes = new SessionPasses(plan, data);
    if (replaysSessions(plan.dataset)) this.#unsent = new UnsentCalls(payloads, plan);
  }

  /**
   * Adds a request that has ended, as long as its page is held.
   * @returns the line with the facts of its session; undefined if it is not the first of one
   */
  add(record: RequestRecord): string | undefined {
    this.#unsent?.add(record);
    const { phase, session, turn } = record;
    if (phase === 0 || Number.isNaN(turn) || this.#book.has(session)) return undefined;
    if (!hasSessions(this.#payloads.locate(record.entry).table.data)) return undefined;
    const pass = this.#pages?.passOf(session) ?? this.#passes.of(session);
    return this.#book.add(sessionFactsOf(record, this.#payloads, this.#plan, pass));
  }

  /** Calls that were not sent, in the order of sessions and calls. */
  unsent(): Iterable<UnsentCall> {
    return this.#unsent?.calls() ?? [];
  }
}
