import type { RandomStream } from "../../../core/statistics/random_stream.ts";

/** Bytes at random, which nothing compresses. */
export function noiseBytes(random: RandomStream, length: number): Uint8Array<ArrayBuffer> {
  const words = new Uint32Array(Math.ceil(length / 4));
  for (let i = 0; i < words.length; i++) words[i] = random() * 2 ** 32;
  return new Uint8Array(words.buffer, 0, length);
}
