// deno-lint-ignore-file no-console

/** A step that did not come to what it should. */
export class CheckError extends Error {
  override readonly name = "CheckError";
}

/** @throws {CheckError} that says what, if it is not so */
export function check(isSo: boolean, what: string): asserts isSo {
  if (!isSo) throw new CheckError(what);
}

/**
 * Looks again and again until it is so.
 * @param what is waited for, in words
 * @throws {CheckError} if that takes too long
 */
export async function until(
  what: string,
  seconds: number,
  isSo: () => Promise<boolean>,
): Promise<void> {
  const deadlineMs = performance.now() + seconds * 1000;
  while (!await isSo()) {
    check(performance.now() < deadlineMs, `${what}: not within ${seconds} s`);
    await pause(200);
  }
}

/** Waits so long. */
export function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}

/** Takes steps one after another, prints what each came to, and counts. */
export class Steps {
  readonly #only: readonly string[];
  #passed = 0;
  #failed = 0;

  /** @param only names of the steps that are taken; empty for all */
  constructor(only: readonly string[] = []) {
    this.#only = only;
  }

  /** @param work says what it came to */
  async take(name: string, work: () => Promise<string>): Promise<void> {
    if (this.#only.length > 0 && !this.#only.includes(name)) return;
    const startMs = performance.now();
    try {
      const result = await work();
      console.log(`${name}: ${result} (${((performance.now() - startMs) / 1000).toFixed(1)} s)`);
      this.#passed++;
    } catch (error) {
      this.#failed++;
      console.log(`${name}: FAILED: ${(error as Error).message}`);
    }
  }

  /** Prints the counts; the exit code. */
  end(): number {
    const verdict = this.#failed === 0 ? "ok" : "FAILED";
    console.log(`${verdict} | ${this.#passed} passed | ${this.#failed} failed`);
    return this.#failed === 0 ? 0 : 1;
  }
}
