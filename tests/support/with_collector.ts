/** Runs a test with a collector of garbage in the engine's place that only counts. */
export async function withCollector(
  test: (calls: () => number) => void | Promise<void>,
): Promise<void> {
  const scope = globalThis as { gc?: () => void };
  const before = scope.gc;
  let calls = 0;
  scope.gc = () => calls++;
  try {
    await test(() => calls);
  } finally {
    if (before === undefined) delete scope.gc;
    else scope.gc = before;
  }
}
