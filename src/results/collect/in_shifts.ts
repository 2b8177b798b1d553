/** Longest stretch of work while nothing piles up. */
const SHIFT_MS = 0.2;

/**
 * Works in short shifts with a pause after each, as long as nothing is urgent. A kernel lets a running
 * thread finish its slice of some milliseconds before another one that wakes up, in spite of their
 * priorities, and the other one here has times to stamp.
 */
export async function inShifts<Item>(
  items: Iterable<Item>,
  work: (item: Item) => void,
  isUrgent: () => boolean,
): Promise<void> {
  let shiftStartMs = performance.now();
  for (const item of items) {
    work(item);
    if (isUrgent() || performance.now() - shiftStartMs < SHIFT_MS) continue;
    await new Promise((resolve) => setTimeout(resolve, 0));
    shiftStartMs = performance.now();
  }
}
