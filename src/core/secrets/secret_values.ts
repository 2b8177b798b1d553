/**
 * Whether only the value shows that it is a secret, whatever its name. A key is random, and random
 * characters differ from names, versions and paths: capitals, small letters and digits change
 * places all the time.
 */

/** A scheme of the Authorization header in front of its credentials. */
const CREDENTIALS = /^(?:bearer|basic|digest|negotiate|token|apikey)\s+\S/i;
/** Beginnings of keys that well-known services give out, and of JSON web tokens. */
const WELL_KNOWN =
  /^(?:eyJ[\w-]{8,}\.[\w-]+|(?:AIza|AKIA|ASIA|gh[pousr]_|github_pat_|glpat-|gsk_|hf_|nvapi-|pplx-|rk-|sk-|sk_|xai-|xox[abeprs]-|ya29\.)[\w.-]{14,})/;
const UUID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i;

/** Letters and digits that a random value has at least. */
const MIN_RANDOM_LENGTH = 16;
/** Shannon entropy that it has at least, bits a character. */
const MIN_ENTROPY_BITS = 2.5;
/** Share of neighbours of different kinds: 0.62 in random base64, mostly below 0.4 in names. */
const MIN_CHANGE_SHARE = 0.4;
/**
 * Minimum fraction of changes without capitals at the start of words: 0.44 in random base64, in
 * names below 0.25.
 */
const MIN_BREAK_SHARE = 0.25;

/** Whether a value looks like a key: credentials, a well-known kind of key, or random characters. */
export function looksSecret(value: string): boolean {
  return CREDENTIALS.test(value.trim()) || keysIn(value).length > 0;
}

/** Whether a word is a key as services give them out, by a beginning that nothing else has. */
export function isServiceKey(word: string): boolean {
  return WELL_KNOWN.test(word);
}

/** The words of a value that look like keys. */
export function keysIn(value: string): string[] {
  return value.split(/[\s,;:="'()[\]{}<>?&#|]+/).filter((word) =>
    WELL_KNOWN.test(word) || looksRandom(word)
  );
}

function looksRandom(word: string): boolean {
  if (UUID.test(word)) return true;
  const runs = word.split(/[^A-Za-z0-9]+/);
  const characters = runs.join("");
  if (characters.length < MIN_RANDOM_LENGTH) return false;
  if (entropyBits(characters) < MIN_ENTROPY_BITS) return false;
  if (runs.some(isRandomRun)) return true;
  const inner = (pattern: RegExp): number =>
    runs.reduce((sum, run) => sum + Math.max(0, (run.match(pattern)?.length ?? 0) - 1), 0);
  const neighbours = inner(/./g);
  return inner(/[A-Z]+|[a-z]+|[0-9]+/g) / neighbours >= MIN_CHANGE_SHARE &&
    inner(/[A-Z]+[a-z]*|[a-z]+|[0-9]+/g) / neighbours >= MIN_BREAK_SHARE;
}

/** Whether letters of one case alternate with digits as in hexadecimal digits and base32. */
function isRandomRun(run: string): boolean {
  if (run.length < 16 || (run !== run.toLowerCase() && run !== run.toUpperCase())) return false;
  const numbers = run.match(/\d+/g)?.length ?? 0;
  return /[a-z]/i.test(run) && numbers >= (run.length < 20 ? 3 : 2);
}

/** Shannon entropy of a text's characters, bits a character. */
function entropyBits(text: string): number {
  const counts = new Map<string, number>();
  for (const character of text) counts.set(character, (counts.get(character) ?? 0) + 1);
  let bits = 0;
  for (const count of counts.values()) {
    bits -= count / text.length * Math.log2(count / text.length);
  }
  return bits;
}
