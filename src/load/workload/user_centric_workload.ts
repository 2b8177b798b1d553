import type { PhasePlan } from "../../config/plan/run_plan.ts";
import { type UserSession, userSessions } from "./user_turns.ts";
import type { Session, Turn, Workload } from "./workload.ts";

/**
 * Sessions of users who take turns (`--user-centric-rate`): sessions of another workload, started
 * and continued by the clock instead of by their replies.
 *
 * A turn is sent one round after the previous one was due, or after its reply if that is later.
 */
export class UserCentricWorkload implements Workload {
  readonly #sessions: Workload;
  readonly #schedule: Iterator<UserSession>;
  readonly #known: UserSession[] = [];
  /** Between two requests of a user. */
  readonly #roundNs: number;

  /** @param sessions content of the sessions; their times are ignored */
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
