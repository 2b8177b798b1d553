import assert from "node:assert/strict";
import { DatasetError } from "../../../../src/core/files/dataset_error.ts";
import {
  decodedPixels,
  encodedPixels,
  resized,
} from "../../../../src/load/dataset/media/pixels.ts";
import { SyntheticMedia } from "../../../../src/load/dataset/media/synthetic_media.ts";
import { decodeBase64, encodeBase64 } from "../../../../src/client/endpoint/protocol/base64.ts";
import { mediaData } from "../../../../src/client/endpoint/protocol/media_data.ts";
import type { ImagesPlan, RecordingsPlan } from "../../../../src/config/plan/media_plan.ts";
import { withFolder } from "../../../support/artifacts.ts";

const always = (mean: number) => ({ mean, stddev: 0 });
const IMAGES: ImagesPlan = {
  perRequest: 2,
  width: always(12),
  height: always(7),
  format: "png",
};

function bytesOf(url: string | undefined): Uint8Array {
  return decodeBase64(mediaData(url ?? "")?.base64 ?? "") ?? assert.fail();
}

for (const format of ["png", "jpeg"] as const) {
  Deno.test(`SyntheticMedia makes ${format} images that depend on seed and number alone`, async () => {
    const media = new SyntheticMedia({ images: { ...IMAGES, format } }, 5);
    const images = [...await media.images(0), ...await media.images(1)];
    assert.equal(new Set(images).size, 4, "no two are the same");
    for (const url of images) {
      assert.ok(url.startsWith(`data:image/${format};base64,`));
      const { width, height } = await decodedPixels(bytesOf(url));
      assert.deepEqual([width, height], [12, 7]);
    }
    const again = new SyntheticMedia({ images: { ...IMAGES, format } }, 5);
    assert.deepEqual(await again.images(1), images.slice(2), "in any order");
    const others = new SyntheticMedia({ images: { ...IMAGES, format } }, 6);
    assert.notDeepEqual(await others.images(0), images.slice(0, 2));
  });
}

Deno.test("SyntheticMedia draws sizes around their means, and either format", async () => {
  const media = new SyntheticMedia({
    images: {
      perRequest: 80,
      width: { mean: 20, stddev: 4 },
      height: { mean: 1, stddev: 3 },
      format: "random",
    },
  }, 1);
  const images = await media.images(0);
  const formats = images.map((url) => mediaData(url)?.type);
  assert.deepEqual([...new Set(formats)].sort(), ["image/jpeg", "image/png"]);
  const sizes = await Promise.all(images.map((url) => decodedPixels(bytesOf(url))));
  const mean = sizes.reduce((sum, { width }) => sum + width, 0) / sizes.length;
  assert.ok(Math.abs(mean - 20) < 1, `${mean}`);
  assert.ok(sizes.every(({ width, height }) => width >= 1 && height >= 1));
});

Deno.test("SyntheticMedia makes WAV files of the length, rate and depth asked for", () => {
  const plan: RecordingsPlan = {
    perRequest: 1,
    seconds: always(0.5),
    depths: [24],
    sampleRates: [8000],
    channels: 2,
  };
  const [url] = new SyntheticMedia({ recordings: plan }, 1).recordings(3);
  const bytes = bytesOf(url);
  const view = new DataView(bytes.buffer, bytes.byteOffset);
  const text = (start: number) => new TextDecoder().decode(bytes.subarray(start, start + 4));
  assert.deepEqual([text(0), text(8), text(12), text(36)], ["RIFF", "WAVE", "fmt ", "data"]);
  assert.equal(view.getUint32(4, true), bytes.length - 8);
  assert.equal(view.getUint16(20, true), 1);
  assert.equal(view.getUint16(22, true), 2);
  assert.equal(view.getUint32(24, true), 8000);
  assert.equal(view.getUint32(28, true), 8000 * 6);
  assert.equal(view.getUint16(32, true), 6);
  assert.equal(view.getUint16(34, true), 24);
  assert.equal(view.getUint32(40, true), 4000 * 6);
  assert.equal(bytes.length, 44 + 4000 * 6);
  assert.ok(new Set(bytes.subarray(44)).size > 200, "noise");
});

Deno.test("SyntheticMedia takes the pictures of a folder, in the size asked for", () =>
  withFolder(async (folder) => {
    const colours = [[255, 0, 0], [0, 0, 255], [10, 20, 30]];
    for (const [index, rgb] of colours.entries()) {
      const format = index === 2 ? "jpeg" : "png";
      const pixels = { width: 4, height: 2, rgb: Uint8Array.from(Array(8).fill(rgb).flat()) };
      const name = `${folder}/${index}.${format === "jpeg" ? "JPG" : format}`;
      await Deno.writeFile(name, await encodedPixels(pixels, format));
    }
    await Deno.writeTextFile(`${folder}/readme.txt`, "no picture");
    const take = async (sampling: NonNullable<ImagesPlan["source"]>["sampling"]) => {
      const images = { ...IMAGES, perRequest: 6, source: { folder, sampling } };
      const urls = await new SyntheticMedia({ images }, 1).images(0);
      const pictures = await Promise.all(urls.map((url) => decodedPixels(bytesOf(url))));
      assert.ok(pictures.every(({ width, height }) => width === 12 && height === 7));
      return pictures.map(({ rgb }) =>
        colours.findIndex((colour) =>
          colour.every((value, at) => Math.abs(value - (rgb[at] ?? 0)) < 9)
        )
      );
    };
    assert.deepEqual(await take("sequential-cycle"), [0, 1, 2, 0, 1, 2]);
    const shuffled = await take("shuffle-cycle");
    assert.deepEqual(shuffled.slice(0, 3).sort(), [0, 1, 2]);
    assert.deepEqual(shuffled.slice(3).sort(), [0, 1, 2]);
    assert.ok((await take("random-with-replacement")).every((place) => place >= 0));
  }));

Deno.test("SyntheticMedia names a folder or a picture that cannot be read", () =>
  withFolder(async (folder) => {
    const images = (path: string): Promise<string[]> => {
      const source = { folder: path, sampling: "sequential-cycle" } as const;
      return new SyntheticMedia({ images: { ...IMAGES, source } }, 1).images(0);
    };
    await assert.rejects(images(`${folder}/none`), DatasetError);
    await assert.rejects(images(folder), /There are no PNG or JPEG files/);
    await Deno.writeTextFile(`${folder}/a.png`, "no picture");
    await assert.rejects(images(folder), /a\.png.*No PNG or JPEG that can be read/s);
  }));

Deno.test("resized takes the nearest pixel of the original", () => {
  const rgb = Uint8Array.from([1, 1, 1, 2, 2, 2, 3, 3, 3, 4, 4, 4]);
  const { rgb: larger } = resized({ width: 2, height: 2, rgb }, 4, 2);
  assert.deepEqual([...larger].filter((_, at) => at % 3 === 0), [1, 1, 2, 2, 3, 3, 4, 4]);
  const { rgb: smaller } = resized({ width: 2, height: 2, rgb }, 1, 1);
  assert.deepEqual([...smaller], [4, 4, 4]);
});

Deno.test("decodedPixels reads grey, transparent and deep PNG files", async () => {
  const { encode } = await import("npm:fast-png@8.0.0");
  const grey = encode({ width: 1, height: 1, channels: 1, depth: 8, data: Uint8Array.of(9) });
  assert.deepEqual([...(await decodedPixels(grey)).rgb], [9, 9, 9]);
  const clear = encode({
    width: 1,
    height: 1,
    channels: 4,
    depth: 8,
    data: Uint8Array.of(1, 2, 3, 0),
  });
  assert.deepEqual([...(await decodedPixels(clear)).rgb], [1, 2, 3]);
  const deep = encode({
    width: 1,
    height: 1,
    channels: 3,
    depth: 16,
    data: Uint16Array.of(256, 512, 65_535),
  });
  assert.deepEqual([...(await decodedPixels(deep)).rgb], [1, 2, 255]);
});

Deno.test("base64 of any length is what it was", () => {
  for (const length of [0, 1, 2, 3, 24_572, 24_573, 24_574, 100_000]) {
    const bytes = Uint8Array.from({ length }, (_, at) => at * 7 % 256);
    assert.deepEqual(decodeBase64(encodeBase64(bytes)), bytes);
  }
  assert.equal(decodeBase64("a*b"), undefined);
});
