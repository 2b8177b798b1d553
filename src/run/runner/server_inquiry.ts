import type { RunPlan } from "../../config/plan/run_plan.ts";
import { askServers } from "../../report/server_info/ask_servers.ts";
import type { ServerInfo } from "../../report/server_info/server_info.ts";

/** Longest that a run which is ready waits for answers. */
const GRACE_MS = 200;

/**
 * The question to the servers what they are: asked by main, which reaches them before it is confined,
 * while the threads start up. A server that is slow to tell does not hold its run up.
 */
export class ServerInquiry {
  readonly #answers: Promise<ServerInfo[]>;
  readonly #over: AbortController;

  private constructor(answers: Promise<ServerInfo[]>, over: AbortController) {
    this.#answers = answers;
    this.#over = over;
  }

  /** Asks, unless the plan says not to. */
  static begin(plan: RunPlan, interrupt: AbortSignal): ServerInquiry {
    const over = new AbortController();
    if (plan.serverInfo !== true) return new ServerInquiry(Promise.resolve([]), over);
    const signal = AbortSignal.any([over.signal, interrupt]);
    return new ServerInquiry(askServers(plan, signal).catch(() => []), over);
  }

  /** What is known now, or in a moment; the rest is not waited for. */
  async end(): Promise<ServerInfo[]> {
    const timer = setTimeout(() => this.#over.abort(), GRACE_MS);
    try {
      return await this.#answers;
    } finally {
      clearTimeout(timer);
    }
  }

  /** Stops asking. */
  abandon(): void {
    this.#over.abort();
  }
}
