/**
 * Longest that a test waits for anything. Nothing is said of speed by it: whoever waits so long
 * waits for ever.
 */
export const HANG_MS = 10 * 60_000;
