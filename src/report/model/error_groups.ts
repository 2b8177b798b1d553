import { errorDetails } from "./error_details.ts";
import type { ErrorGroup } from "./profile_report.ts";

/** Most different failures that are listed; the rest of a kind is counted together. */
const MAX_GROUPS = 100;

/** Groups failures that read the same but for their numbers. */
export class ErrorGroups {
  readonly #groups = new Map<string, { group: ErrorGroup; count: number; firstNs: number }>();

  /**
   * Counts a failure.
   * @param atNs when it happened, by the run's clock
   */
  add(errorKind: number, status: number, message: string, atNs = NaN): void {
    const details = errorDetails(errorKind, status, message);
    // Ids and byte counts differ from one failure to the next; the failure is the same.
    const generic = message.replace(/\d+/g, "0");
    let group: ErrorGroup = { ...details, count: 0, firstNs: atNs };
    let key = `${details.kind}\n${details.status ?? ""}\n${generic}`;
    if (!this.#groups.has(key) && this.#groups.size >= MAX_GROUPS) {
      key = `${details.kind}\n${details.status ?? ""}\nothers`;
      group = { ...group, message: "Other messages" };
    }
    const known = this.#groups.get(key);
    if (known === undefined) {
      this.#groups.set(key, { group, count: 1, firstNs: atNs });
      return;
    }
    known.count++;
    if (atNs < known.firstNs || Number.isNaN(known.firstNs)) known.firstNs = atNs;
  }

  /** The groups, the largest first. */
  get all(): ErrorGroup[] {
    return [...this.#groups.values()]
      .map(({ group, count, firstNs }) => ({ ...group, count, firstNs }))
      .sort((a, b) => b.count - a.count);
  }
}
