/**
 * Waits until a server accepts connections, whatever it answers.
 * @throws {Error} if it does not within a time
 */
export async function untilAnswered(url: string, timeoutMs: number): Promise<void> {
  const end = Date.now() + timeoutMs;
  while (true) {
    try {
      await (await fetch(url)).body?.cancel();
      return;
    } catch (error) {
      if (Date.now() > end) throw error;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
}
