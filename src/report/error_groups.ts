import { ERROR_KINDS, type ErrorKind } from "../record/error_kind.ts";
import type { ErrorGroup } from "./profile_report.ts";

/** Different messages that are told apart; the rest of a kind is counted together. */
const MAX_GROUPS = 100;

/** Groups failures that read the same but for their numbers. */
export class ErrorGroups {
  readonly #groups = new Map<string, { group: ErrorGroup; count: number }>();

  /** Counts a failure. */
  add(errorKind: number, status: number, message: string): void {
    const kind = ERROR_KINDS[errorKind] as ErrorKind;
    const hasStatus = kind === "http_status";
    // Ids and byte counts differ from one failure to the next; the failure is the same.
    const generic = message.replace(/\d+/g, "0");
    let key = `${kind}\n${hasStatus ? status : ""}\n${generic}`;
    if (!this.#groups.has(key) && this.#groups.size >= MAX_GROUPS) key = `${kind}\nother`;
    const known = this.#groups.get(key);
    if (known !== undefined) {
      known.count++;
      return;
    }
    const group: ErrorGroup = {
      kind,
      status: hasStatus ? status : null,
      type: hasStatus ? reasonOf(status, message) : kind,
      message: hasStatus ? bodyOf(message) : message,
      count: 0,
    };
    this.#groups.set(key, { group, count: 1 });
  }

  /** The groups, the largest first. */
  get all(): ErrorGroup[] {
    return [...this.#groups.values()]
      .map(({ group, count }) => ({ ...group, count }))
      .sort((a, b) => b.count - a.count);
  }
}

/** The reason phrase in a message `HTTP 503 Service Unavailable: body`. */
function reasonOf(status: number, message: string): string {
  const match = /^HTTP \d+ ([^:,]+)/.exec(message);
  return match?.[1] ?? `HTTP ${status}`;
}

/** What the server said, in such a message; the message itself if it said nothing. */
function bodyOf(message: string): string {
  const colon = message.indexOf(": ");
  return colon < 0 ? message : message.slice(colon + 2);
}
