import type { RunPlan } from "../../config/plan/run_plan.ts";
import type { EndReason } from "../../core/run_end/end_reason.ts";
import { type Redactor, redactor } from "../../core/secrets/redactor.ts";
import type { RunHooks } from "./run_hooks.ts";
import type { RunWatch } from "./run_watch.ts";

/** What a run has to say while it goes on, without secrets, and what its report has to carry. */
export class RunNotes {
  readonly #hooks: RunHooks;
  /** Takes the run's secrets out of a text. */
  readonly redact: Redactor;
  readonly #kept: string[];
  /** Shows it to those who watch. */
  watch: RunWatch | undefined;

  constructor({ secrets }: Pick<RunPlan, "secrets">, hooks: RunHooks) {
    this.#hooks = hooks;
    this.redact = redactor(secrets);
    this.#kept = [...hooks.notes ?? []];
  }

  /** What the report has to carry. */
  get kept(): readonly string[] {
    return this.#kept;
  }

  /** Has the report carry a sentence. */
  keep(text: string): void {
    this.#kept.push(this.redact(text));
  }

  /**
   * Shows something unexpected that the report contains elsewhere.
   * @param endReason code of why the run ends early; undefined if it continues
   */
  tell(text: string, endReason?: EndReason): void {
    const redacted = this.redact(text);
    this.#hooks.onWarning?.(redacted, endReason);
    this.watch?.warn(redacted);
  }

  /** Says something unexpected, and has the report carry it. */
  warn(text: string): void {
    this.keep(text);
    this.tell(text);
  }

  /** Says what was found out by itself. */
  notice(text: string): void {
    this.#hooks.onNotice?.(this.redact(text));
  }

  /** Says what is done when all requests have ended. */
  stage(text: string): void {
    this.#hooks.onStage?.(text);
    this.watch?.stage(text);
  }
}
