import type { PhasePlan } from "../../config/plan/run_plan.ts";
import { leastPhaseMs, quietBudgetMs } from "./quiet_budget.ts";

/** Answers to the sample, by its prompts; undefined for a request that failed or was not sent. */
export interface DriftAnswers {
  /** Fingerprints of the prompts of the sample. */
  readonly prompts: readonly number[];
  readonly before: readonly (string | undefined)[];
  readonly under: readonly (string | undefined)[];
  readonly after: readonly (string | undefined)[];
}

/** Means of a {@linkcode DriftAsker}. */
export interface DriftAskerContext {
  readonly phase: PhasePlan;
  /** Fingerprints of the prompts of the sample. */
  readonly prompts: readonly number[];
  /** Sends a prompt of the sample; undefined if it fails. */
  ask(prompt: number, pass: string, signal: AbortSignal): Promise<string | undefined>;
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
  #replyMs = 0;
  #end = new AbortController();
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
      answers[prompt] = await ask(prompt, pass, new AbortController().signal);
      if (pass === "before") this.#replyMs = (nowMs() - startMs) / (asked + 1);
    }
  }

  /** Asks the prompts that were answered before once more, spread over the load. */
  beginLoad(): void {
    this.#isLoaded = true;
    this.#underLoad = this.#askUnderLoad();
  }

  async #askUnderLoad(): Promise<void> {
    const { ask, nowMs, phase, wait } = this.#context;
    const { signal } = this.#end;
    const prompts = [...this.#before.keys()].filter((prompt) => this.#before[prompt] !== undefined);
    const lengthMs = leastPhaseMs(phase, this.#replyMs);
    const gapMs = Number.isFinite(lengthMs) ? lengthMs / (prompts.length + 1) : 0;
    const startMs = nowMs();
    for (const [place, prompt] of prompts.entries()) {
      await wait(Math.max(0, startMs + (place + 1) * gapMs - nowMs()), signal);
      if (signal.aborted) return;
      const answer = await ask(prompt, "load", signal);
      if (!signal.aborted) this.#under[prompt] = answer;
    }
  }

  /** Ends the asking under load. */
  async endLoad(): Promise<void> {
    this.#end.abort();
    await this.#underLoad;
  }

  /** The answers so far. */
  get answers(): DriftAnswers {
    const { prompts } = this.#context;
    const all = (answers: readonly (string | undefined)[]) =>
      prompts.map((_, prompt) => answers[prompt]);
    return {
      prompts,
      before: all(this.#before),
      under: all(this.#under),
      after: all(this.#after),
    };
  }
}
