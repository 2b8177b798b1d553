import { nearest } from "./nearest.ts";

/** Letters that two words must share in a row to be similar. */
const MIN_SHARED = 4;

/**
 * The choices that a word most likely meant: the one that is spelt nearly so, else those that share
 * its longest part, as `rerank` and `nim-rankings` do. Empty if there is none.
 * @param synonyms other names of choices
 */
export function similarChoices(
  word: string,
  choices: readonly string[],
  synonyms: Readonly<Record<string, string>> = {},
): string[] {
  const near = nearest(word, choices);
  if (near !== undefined) return [near];
  // The longest choice within the word is what it says: `chat` of `openai-chat`.
  const [within] = choices.filter((choice) => choice.length >= MIN_SHARED && word.includes(choice))
    .sort((a, b) => b.length - a.length);
  if (within !== undefined) return [within];
  const shared = choices.map((choice) => longestShared(word, choice));
  const longest = Math.max(0, ...shared);
  const synonym = synonyms[nearest(word, Object.keys(synonyms)) ?? ""];
  if (longest < Math.max(MIN_SHARED, word.length / 2)) {
    return synonym === undefined ? [] : [synonym];
  }
  return choices.filter((_, index) => shared[index] === longest);
}

/** Length of the longest run of letters that is in both words. */
function longestShared(a: string, b: string): number {
  for (let length = Math.min(a.length, b.length); length > 0; length--) {
    for (let start = 0; start + length <= a.length; start++) {
      if (b.includes(a.slice(start, start + length))) return length;
    }
  }
  return 0;
}
