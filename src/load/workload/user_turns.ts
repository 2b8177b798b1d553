/**
 * Schedule of users who take turns: each of the `users` users sends a request every `users / rate`
 * seconds, so that together they send at an even rate.
 *
 * User `i` comes first at `i / rate`, and sends in its place in every round. When a session has
 * sent its last turn, a new one takes its place in the next round, whatever the replies do. The
 * beginning resembles the middle of a long run, when some sessions are nearly over. The first
 * session of each place has only its remaining turns, from one to all, evenly spread over the
 * places. The schedule depends only on the numbers of turns.
 */
export interface UserSession {
  /** Nanoseconds from the start of the phase to its first turn. */
  readonly arrivalNs: number;
  /** Number of turns that are sent, counted from the first one. */
  readonly turns: number;
}

/** See the module's comment; session by session in the order of their arrival. */
export function* userSessions(
  users: number,
  ratePerSecond: number,
  turnsOf: (session: number) => number,
): Generator<UserSession, never> {
  /** Round in which each place is free for the next session. */
  const freeIn = new Float64Array(users);
  let session = 0;
  for (let round = 0;; round++) {
    for (let place = 0; place < users; place++) {
      if (freeIn[place] !== round) continue;
      const whole = Math.max(1, turnsOf(session++));
      // One fresh session in the first place; behind it they are the older the later they come.
      const turns = round === 0 ? whole - Math.floor(place * whole / users) : whole;
      freeIn[place] = round + turns;
      yield { arrivalNs: Math.round((round * users + place) / ratePerSecond * 1e9), turns };
    }
  }
}
