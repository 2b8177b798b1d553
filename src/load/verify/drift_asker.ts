import type { PhasePlan } from "../../config/plan/run_plan.ts";
import type { SampleAnswers, SampleTraffic } from "../../measurement/answers/drift_findings.ts";
import { loadSpreadMs, quietBudgetMs } from "./quiet_budget.ts";
import type { SampleReply } from "./sample_sender.ts";

/** Maximum time for a request of the sample after the load, in milliseconds. */
const LAST_REPLY_MS = 10_000;

/** Means of a {@linkcode DriftAsker}. */
export interface DriftAskerContext {
  readonly phase: PhasePlan;
  /** Fingerprints of the prompts of the sample. */
  readonly prompts: readonly number[];
  /** Sends a prompt of the sample; undefined if it fails. */
  ask(prompt: number, pass: string, signal: AbortSignal): Promise<SampleReply | undefined>;
  nowMs(): number;
  /** Waits, at most until the signal. */
  wait(ms: number, signal: AbortSignal): Promise<void>;
}

/**
 * Sends a sample of prompts before, during and after the load, one at a time. A quiet pass takes at most
 * a twentieth of the profiling phase, so that the sample may become smaller.
 */
export class DriftAsker {
  readonly #context: DriftAskerContext;
  readonly #before: (string | undefined)[] = [];
  readonly #under: (string | undefined)[] = [];
  readonly #after: (string | undefined)[] = [];
  #isLoaded = false;
  #traffic: SampleTraffic | undefined = { requests: 0, promptTokens: 0, completionTokens: 0 };
  #replyMs = 0;
  /** Shortest reply without load. */
  #shortestMs = Infinity;
  /** Ends the sending under load, and the request that is running. */
  #end = new AbortController();
  #cut = new AbortController();
  #underLoad: Promise<void> = Promise.resolve();

  constructor(context: DriftAskerContext) {
    this.#context = context;
  }

  /** Sends the sample without load: before it at first, after it then. */
  async quiet(): Promise<void> {
    const { prompts: { length } } = this.#context;
    const answers = this.#isLoaded ? this.#after : this.#before;
    const prompts = this.#isLoaded
      ? [...this.#under.keys()].filter((prompt) => this.#under[prompt] !== undefined)
      : Array.from({ length }, (_, prompt) => prompt);
    await this.#quietPass(prompts, answers, this.#isLoaded ? "after" : "before");
  }

  async #quietPass(
    prompts: readonly number[],
    answers: (string | undefined)[],
    pass: string,
  ): Promise<void> {
    const { ask, nowMs, phase } = this.#context;
    // The first request of a connection, a model and a thread takes longer than the others.
    if (pass === "before") await ask(0, "first", new AbortController().signal);
    const startMs = nowMs();
    for (const [asked, prompt] of prompts.entries()) {
      const elapsedMs = nowMs() - startMs;
      const nextMs = asked === 0 ? this.#replyMs : elapsedMs / asked;
      if (asked > 0 && elapsedMs + nextMs > quietBudgetMs(phase, nextMs)) break;
      answers[prompt] = (await ask(prompt, pass, new AbortController().signal))?.answer;
      if (pass !== "before") continue;
      const takenMs = nowMs() - startMs;
      this.#replyMs = takenMs / (asked + 1);
      this.#shortestMs = Math.min(this.#shortestMs, takenMs - elapsedMs);
    }
  }

  /**
   * Asks the prompts that were answered before once more, spread over the load.
   * @param delayMs time until the load begins
   */
  beginLoad(delayMs = 0): void {
    this.#isLoaded = true;
    this.#underLoad = this.#askUnderLoad(delayMs);
  }

  async #askUnderLoad(delayMs: number): Promise<void> {
    const { ask, nowMs, phase, wait } = this.#context;
    const { signal } = this.#end;
    const prompts = [...this.#before.keys()].filter((prompt) => this.#before[prompt] !== undefined);
    const lengthMs = loadSpreadMs(phase, this.#shortestMs);
    const gapMs = Number.isFinite(lengthMs) ? lengthMs / (prompts.length + 1) : 0;
    const startMs = nowMs() + delayMs;
    for (const [place, prompt] of prompts.entries()) {
      await wait(Math.max(0, startMs + (place + 1) * gapMs - nowMs()), signal);
      if (signal.aborted) return;
      const reply = await ask(prompt, "load", this.#cut.signal);
      this.#count(reply);
      if (!signal.aborted) this.#under[prompt] = reply?.answer;
    }
  }

  #count(reply: SampleReply | undefined): void {
    this.#traffic = reply && this.#traffic && {
      requests: this.#traffic.requests + 1,
      promptTokens: sumOf(this.#traffic.promptTokens, reply.promptTokens),
      completionTokens: sumOf(this.#traffic.completionTokens, reply.completionTokens),
    };
  }

  /**
   * Ends the asking under load. The request that is running is completed, as servers count it whole,
   * but its answer does not count.
   */
  async endLoad(): Promise<void> {
    const { wait } = this.#context;
    this.#end.abort();
    const over = new AbortController();
    await Promise.race([
      this.#underLoad.finally(() => over.abort()),
      wait(LAST_REPLY_MS, over.signal),
    ]);
    this.#cut.abort();
    await this.#underLoad;
  }

  /** The answers so far. */
  get answers(): SampleAnswers {
    const { prompts } = this.#context;
    const all = (answers: readonly (string | undefined)[]) =>
      prompts.map((_, prompt) => answers[prompt]);
    return {
      prompts,
      before: all(this.#before),
      under: all(this.#under),
      after: all(this.#after),
      traffic: this.#traffic,
    };
  }
}

function sumOf(one: number | undefined, other: number | undefined): number | undefined {
  return one === undefined || other === undefined ? undefined : one + other;
}
