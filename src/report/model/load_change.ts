/** Changes of the load by the user during a run, and their representation in outputs. */

/** A change of the load by hand, or a mark that was set. */
export interface LoadChange {
  /** On the run's clock. */
  readonly atNs: number;
  readonly phase: "warmup" | "profiling";
  readonly action: "pause" | "resume" | "concurrency" | "rate" | "tempo" | "mark";
  /**
   * New number of users or of requests per second; the new speed relative to the plan if the plan
   * has no steady rate; the number of a mark.
   */
  readonly value?: number;
}

/** Returns the result of a change: `20 users`, `12 requests/s`. */
export function loadChangeText({ action, value }: LoadChange): string {
  switch (action) {
    case "pause":
      return "paused";
    case "resume":
      return "resumed";
    case "concurrency":
      return `${value} ${value === 1 ? "user" : "users"}`;
    case "rate":
      return `${value} requests/s`;
    case "tempo":
      return `${value} times as fast as planned`;
    case "mark":
      return `${value}`;
  }
}

/** Beginning of the note about changes other than marks. */
const BY_HAND = "The load was changed manually and deviates from the plan: ";

/** Returns the manual changes from the notes of a run; undefined if there were none. */
export function changesByHand(notes: readonly unknown[]): string | undefined {
  const note = notes.find((note): note is string =>
    typeof note === "string" && note.startsWith(BY_HAND)
  );
  return note?.slice(BY_HAND.length);
}

/** Maximum number of changes that a sentence lists individually. */
const MAX_TOLD = 12;

/**
 * Sentences about the changes, for readers of the results.
 * @param startNs the start of the profiling phase, on the run's clock
 */
export function loadChangeNotes(changes: readonly LoadChange[], startNs: number): string[] {
  const text = (change: LoadChange): string => {
    const at = `at ${((change.atNs - startNs) / 1e9).toFixed(1)} s`;
    const where = change.phase === "warmup" ? `${at} (warm-up)` : at;
    const isMoment = ["pause", "resume", "mark"].includes(change.action);
    return `${loadChangeText(change)} ${isMoment ? where : `from ${where.slice(3)} on`}`;
  };
  const marks = changes.filter(({ action }) => action === "mark");
  const others = changes.filter(({ action }) => action !== "mark");
  return [
    ...(others.length === 0 ? [] : [`${BY_HAND}${told(others, text)}`]),
    ...(marks.length === 0 ? [] : [`Manual markers: ${told(marks, text)}`]),
  ];
}

function told(changes: readonly LoadChange[], text: (change: LoadChange) => string): string {
  const more = changes.length - MAX_TOLD;
  return changes.slice(0, MAX_TOLD).map(text).join(", ") +
    (more > 0 ? `, and ${more} more in run/run.json` : "");
}
