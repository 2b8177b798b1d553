import type { PhasePlan } from "../../config/plan/run_plan.ts";
import { type UserSession, userSessions } from "./user_turns.ts";
import type { Session, Turn, Workload } from "./workload.ts";

/**
 * Sessions of users who take turns (`--user-centric-rate`): those of another workload, begun and
 * continued by the clock instead of by their replies.
 *
 * A turn is sent a round after the one before was due, or when its reply is there if that is later.
 */
export class UserCentricWorkload implements Workload {
  readonly #sessions: Workload;
  readonly #schedule: Iterator<UserSession>;
  readonly #known: UserSession[] = [];
  /** Between two requests of a user. */
  readonly #roundNs: number;

  /** @param sessions what users say; when they say it does not count */
  constructor(sessions: Workload, load: Extract<PhasePlan["load"], { loop: "open" }>) {
    const { users = 1, ratePerSecond } = load;
    this.#sessions = sessions;
    this.#roundNs = users / ratePerSecond * 1e9;
    this.#schedule = userSessions(
      users,
      ratePerSecond,
      (index) => sessions.session(index).turns.length,
    );
  }

  get sessionCount(): number {
    return this.#sessions.sessionCount;
  }

  get turnLimit(): number | undefined {
    return this.#sessions.turnLimit;
  }

  session(index: number): Session {
    const [first, ...later] = this.#sessions.session(index).turns;
    const { turns } = this.#at(index);
    const timed = later.slice(0, turns - 1).map((turn): Turn => ({
      ...turn,
      delayNs: 0,
      afterDueNs: this.#roundNs,
    }));
    return { index, turns: [first, ...timed] };
  }

  arrivalNs(index: number): number {
    return this.#at(index).arrivalNs;
  }

  #at(index: number): UserSession {
    while (this.#known.length <= index) this.#known.push(this.#schedule.next().value);
    return this.#known[index] as UserSession;
  }
}
