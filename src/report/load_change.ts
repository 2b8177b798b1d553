/** What a person did to the load while the run went on, and how outputs tell of it. */

/** A change of the load by hand, or a mark that was set. */
export interface LoadChange {
  /** On the run's clock. */
  readonly atNs: number;
  readonly phase: "warmup" | "profiling";
  readonly action: "pause" | "resume" | "concurrency" | "rate" | "tempo" | "mark";
  /**
   * Users, or requests a second, from then on; where the plan has no steady rate, by how much faster
   * it goes on; the number of a mark.
   */
  readonly value?: number;
}

/** Most changes that a sentence tells one by one. */
const MAX_TOLD = 12;

/**
 * Sentences about the changes, for readers of the results.
 * @param startNs the start of the profiling phase, on the run's clock
 */
export function loadChangeNotes(changes: readonly LoadChange[], startNs: number): string[] {
  const text = (change: LoadChange): string => {
    const at = `at ${((change.atNs - startNs) / 1e9).toFixed(1)} s`;
    const where = change.phase === "warmup" ? `${at} (warm-up)` : at;
    switch (change.action) {
      case "pause":
        return `paused ${where}`;
      case "resume":
        return `resumed ${where}`;
      case "concurrency":
        return `${change.value} ${change.value === 1 ? "user" : "users"} from ${where.slice(3)} on`;
      case "rate":
        return `${change.value} requests/s from ${where.slice(3)} on`;
      case "tempo":
        return `${change.value} times as fast as planned from ${where.slice(3)} on`;
      case "mark":
        return `${change.value} ${where}`;
    }
  };
  const marks = changes.filter(({ action }) => action === "mark");
  const others = changes.filter(({ action }) => action !== "mark");
  return [
    ...(others.length === 0
      ? []
      : [`The load was changed by hand, so it is not what the plan says: ${told(others, text)}`]),
    ...(marks.length === 0 ? [] : [`Marks set by hand: ${told(marks, text)}`]),
  ];
}

function told(changes: readonly LoadChange[], text: (change: LoadChange) => string): string {
  const more = changes.length - MAX_TOLD;
  return changes.slice(0, MAX_TOLD).map(text).join(", ") +
    (more > 0 ? `, and ${more} more in run/run.json` : "");
}
