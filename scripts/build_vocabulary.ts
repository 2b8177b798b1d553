// deno-lint-ignore-file no-console
/**
 * Makes `src/load/dataset/tokenizers/o200k_base.bin` from the ranks that the npm package js-tiktoken carries.
 *
 * Format: the number of tokens as a little-endian uint32, the length in bytes of each token in the
 * order of their ranks, the bytes of all tokens one after another.
 */

import ranks from "js-tiktoken/ranks/o200k_base";

const tokens: Uint8Array[] = [];
for (const line of ranks.bpe_ranks.split("\n")) {
  if (line === "") continue;
  const [, offset, ...encoded] = line.split(" ");
  encoded.forEach((token, index) => {
    tokens[Number(offset) + index] = Uint8Array.from(atob(token), (byte) => byte.charCodeAt(0));
  });
}
const bytes = tokens.reduce((sum, token) => sum + token.length, 0);
const file = new Uint8Array(4 + tokens.length + bytes);
new DataView(file.buffer).setUint32(0, tokens.length, true);
let position = 4 + tokens.length;
tokens.forEach((token, rank) => {
  if (token.length > 255) throw new RangeError(`Token ${rank} has ${token.length} bytes`);
  file[4 + rank] = token.length;
  file.set(token, position);
  position += token.length;
});
await Deno.writeFile(
  new URL("../src/load/dataset/tokenizers/o200k_base.bin", import.meta.url),
  file,
);
console.log(`${tokens.length} tokens, ${file.length} bytes`);
