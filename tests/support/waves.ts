import type { Answer } from "./recording_server.ts";

/** Answers to requests that come so many at a time. */
export interface Waves {
  readonly answer: Answer;
  /** Most requests that were waiting for their answers at once. */
  readonly most: number;
}

/**
 * Each request waits until the last one of its wave has come.
 * @param serviceMs what each takes besides
 */
export function wavesOf(size: number, serviceMs = 0): Waves {
  let wave = Promise.withResolvers<void>();
  let waiting = 0;
  let most = 0;
  return {
    async answer(_, number) {
      most = Math.max(most, ++waiting);
      const { promise, resolve } = wave;
      if (number % size === size - 1) {
        wave = Promise.withResolvers();
        resolve();
      }
      await promise;
      if (serviceMs > 0) await new Promise((resolve) => setTimeout(resolve, serviceMs));
      waiting--;
      return undefined;
    },
    get most() {
      return most;
    },
  };
}
