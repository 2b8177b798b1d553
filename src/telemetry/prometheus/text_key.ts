/** The engine hashes strings up to this length by all their characters, longer ones by length. */
const HASHED_LENGTH = 16_383;

const seeds = crypto.getRandomValues(new Uint32Array(2));

/**
 * A key for maps that stands for a text. Most texts are their own key. Many long texts of one length
 * would meet in one bucket of a map, and looking them up would take quadratic time; they are
 * replaced by 64 bits of a hash with a secret seed.
 * @param longest length of a text that is its own key; a map keeps its keys
 */
export function textKey(text: string, longest: number = HASHED_LENGTH): string {
  if (text.length <= longest) return text;
  let first = seeds[0] as number;
  let second = seeds[1] as number;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    first = Math.imul(first ^ code, 0x85ebca6b);
    first ^= first >>> 13;
    second = Math.imul(second ^ code, 0xc2b2ae35);
    second ^= second >>> 16;
  }
  return `\n${text.length}:${first >>> 0}:${second >>> 0}`;
}
