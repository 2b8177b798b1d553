/** Longest piece whose repetition is looked for, in bytes. */
const MAX_PERIOD = 64;
/** How often a piece follows itself at least, and the bytes that this fills. */
const MIN_TIMES = 8;
const MIN_BYTES = 192;
/** Distance of the places at which a repetition is looked for: each one contains such a place. */
const STRIDE = 64;

const SPACE = 32;

/**
 * Whether a text contains a repetition loop: a piece of at most 64 bytes that follows itself at
 * least 8 times and fills at least 192 bytes. White space does not count: it indents code.
 *
 * A loop is so long that it contains two places of a grid of 64 bytes: only there, the periods are
 * tried, so that the time is linear in the length.
 */
export function hasRepetition(text: Uint8Array): boolean {
  for (let at = 0; at + MIN_BYTES - STRIDE <= text.length; at += STRIDE) {
    for (let period = 1; period <= MAX_PERIOD; period++) {
      if (text[at] !== text[at + period] || text[at + 1] !== text[at + 1 + period]) continue;
      const [start, end] = loopAround(text, at, period);
      const length = end - start;
      if (length >= MIN_BYTES && length >= period * MIN_TIMES && isVisible(text, start, period)) {
        return true;
      }
    }
  }
  return false;
}

/** The longest part around a place in which every byte equals the one a period before. */
function loopAround(text: Uint8Array, at: number, period: number): [start: number, end: number] {
  let start = at;
  while (start > 0 && text[start - 1] === text[start - 1 + period]) start--;
  let end = at;
  while (end + period < text.length && text[end] === text[end + period]) end++;
  return [start, end + period];
}

function isVisible(text: Uint8Array, start: number, period: number): boolean {
  for (let at = start; at < start + period; at++) if ((text[at] as number) > SPACE) return true;
  return false;
}
