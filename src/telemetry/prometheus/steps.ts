/** Gives the result of work that is done in steps, without a pause between them. */
export function allAtOnce<T>(work: Generator<void, T>): T {
  for (;;) {
    const step = work.next();
    if (step.done) return step.value;
  }
}
