// @ts-types="npm:@types/d3-random@3.0.4"
import { randomNormal } from "npm:d3-random@3.0.2";
import { encodeBase64 } from "../../../client/endpoint/protocol/base64.ts";
import type { ImagesPlan, RecordingsPlan, Spread } from "../../../config/plan/media_plan.ts";
import type { PromptsPlan } from "../../../config/plan/prompts_plan.ts";
import { type RandomStream, randomStream } from "../../../core/statistics/random_stream.ts";
import { ImageFolder } from "./image_folder.ts";
import { encodedPixels, type Pixels, resized } from "./pixels.ts";
import { wavFile } from "./wav_file.ts";

/** Longest side of an image. */
const MAX_PIXELS = 16_384;
const MIN_SECONDS = 0.01;

/**
 * Generates the images and recordings of requests. Each depends only on the seed and its number,
 * and no two are equal, so that no server has them in a cache.
 */
export class SyntheticMedia {
  readonly #images: ImagesPlan | undefined;
  readonly #recordings: RecordingsPlan | undefined;
  readonly #seed: number;
  #folder: Promise<ImageFolder> | undefined;

  constructor({ images, recordings }: PromptsPlan, seed: number) {
    this.#images = images;
    this.#recordings = recordings;
    this.#seed = seed;
  }

  /**
   * The images of a request, as data URIs.
   * @throws {DatasetError} if they are to come from a folder that cannot be read
   */
  async images(request: number): Promise<string[]> {
    const plan = this.#images;
    if (plan === undefined) return [];
    const images: string[] = [];
    for (let place = 0; place < plan.perRequest; place++) {
      images.push(await this.#image(plan, request * plan.perRequest + place));
    }
    return images;
  }

  /** The recordings of a request, as data URIs. */
  recordings(request: number): string[] {
    const plan = this.#recordings;
    if (plan === undefined) return [];
    return Array.from(
      { length: plan.perRequest },
      (_, place) => this.#recording(plan, request * plan.perRequest + place),
    );
  }

  async #image(plan: ImagesPlan, number: number): Promise<string> {
    const side = (spread: Spread, name: string): number =>
      Math.min(MAX_PIXELS, Math.max(1, Math.round(this.#drawn(spread, name, number))));
    const width = side(plan.width, "dataset.image.width");
    const height = side(plan.height, "dataset.image.height");
    const format = plan.format !== "random"
      ? plan.format
      : randomStream(this.#seed, "dataset.image.format", number)() < 0.5
      ? "png"
      : "jpeg";
    const bytes = await encodedPixels(await this.#pixels(plan, number, width, height), format);
    return `data:image/${format};base64,${encodeBase64(bytes)}`;
  }

  async #pixels(
    { source }: ImagesPlan,
    number: number,
    width: number,
    height: number,
  ): Promise<Pixels> {
    if (source === undefined) {
      const random = randomStream(this.#seed, "dataset.image.noise", number);
      return { width, height, rgb: noiseBytes(random, width * height * 3) };
    }
    this.#folder ??= ImageFolder.open(source, this.#seed);
    const folder = await this.#folder;
    return resized(await folder.picture(number), width, height);
  }

  #recording(plan: RecordingsPlan, number: number): string {
    const random = randomStream(this.#seed, "dataset.audio", number);
    const one = (values: readonly number[]): number =>
      values[Math.floor(random() * values.length)] as number;
    const sampleRate = one(plan.sampleRates);
    const depth = one(plan.depths);
    const { channels } = plan;
    const seconds = Math.max(
      MIN_SECONDS,
      this.#drawn(plan.seconds, "dataset.audio.length", number),
    );
    const frames = Math.max(1, Math.floor(seconds * sampleRate));
    // Bytes at random are noise at any depth.
    const samples = noiseBytes(random, frames * channels * depth / 8);
    return `data:audio/wav;base64,${
      encodeBase64(wavFile(samples, { sampleRate, depth, channels }))
    }`;
  }

  #drawn({ mean, stddev }: Spread, name: string, number: number): number {
    if (stddev === 0) return mean;
    return randomNormal.source(randomStream(this.#seed, name, number))(mean, stddev)();
  }
}

/** Random bytes, which do not compress. */
function noiseBytes(random: RandomStream, length: number): Uint8Array<ArrayBuffer> {
  const words = new Uint32Array(Math.ceil(length / 4));
  for (let i = 0; i < words.length; i++) words[i] = random() * 2 ** 32;
  return new Uint8Array(words.buffer, 0, length);
}
