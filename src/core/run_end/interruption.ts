import { END_REASONS, type EndReason } from "./end_reason.ts";

/** Code of a run that a signal ends. */
export type SignalReason = Extract<EndReason, "interrupted" | "terminated">;

/** Error with which a signal aborts a run. */
export class Interruption extends Error {
  override readonly name = "AbortError";
  readonly reason: SignalReason;

  constructor(reason: SignalReason) {
    super(END_REASONS[reason].meaning);
    this.reason = reason;
  }
}

/** Returns the code of an aborted run; a caller of the library may abort with any other error. */
export function interruptionReason({ reason }: AbortSignal): SignalReason {
  return reason instanceof Interruption ? reason.reason : "interrupted";
}
