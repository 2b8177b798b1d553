/** Images as pixels, and their encoding. The libraries are loaded only if there are images. */

/** Image: bytes for red, green and blue of each pixel, row by row. */
export interface Pixels {
  readonly width: number;
  readonly height: number;
  readonly rgb: Uint8Array;
}

/** Default quality of other programs. */
const JPEG_QUALITY = 75;
/** Maximum size of an image file in megapixels; larger images are not read. */
const MAX_MEGAPIXELS = 100;

/** Returns the image encoded as the bytes of a PNG or JPEG file. */
export async function encodedPixels(
  { width, height, rgb }: Pixels,
  format: "png" | "jpeg",
): Promise<Uint8Array> {
  if (format === "png") {
    const { encode } = await import("npm:fast-png@8.0.0");
    // Noise does not get smaller, however long one tries.
    return encode({ width, height, data: rgb, channels: 3, depth: 8 }, { zlib: { level: 1 } });
  }
  const { default: jpeg } = await import("npm:jpeg-js@0.4.4");
  const data = new Uint8Array(width * height * 4).fill(255);
  for (let from = 0, to = 0; from < rgb.length; from += 3, to += 4) {
    data[to] = rgb[from] as number;
    data[to + 1] = rgb[from + 1] as number;
    data[to + 2] = rgb[from + 2] as number;
  }
  return new Uint8Array(jpeg.encode({ width, height, data }, JPEG_QUALITY).data);
}

/**
 * Decodes a PNG or JPEG file.
 * @throws {Error} if it is not an image, or cannot be read
 */
export async function decodedPixels(bytes: Uint8Array): Promise<Pixels> {
  if (bytes[0] === 0xff && bytes[1] === 0xd8) {
    const { default: jpeg } = await import("npm:jpeg-js@0.4.4");
    const { width, height, data } = jpeg.decode(bytes, {
      useTArray: true,
      formatAsRGBA: false,
      maxResolutionInMP: MAX_MEGAPIXELS,
    });
    return { width, height, rgb: data };
  }
  const { convertIndexedToRgb, decode } = await import("npm:fast-png@8.0.0");
  const image = decode(bytes);
  const { width, height, depth, palette } = image;
  const channels = palette?.[0]?.length ?? image.channels;
  const data = palette === undefined ? image.data : convertIndexedToRgb(image);
  const shift = palette === undefined && depth === 16 ? 8 : 0;
  if (palette === undefined && depth < 8) throw new Error(`PNG of ${depth} bits is not read`);
  const rgb = new Uint8Array(width * height * 3);
  for (let pixel = 0; pixel < width * height; pixel++) {
    for (let colour = 0; colour < 3; colour++) {
      // Grey has one channel, and one more if it is transparent.
      const from = pixel * channels + (channels < 3 ? 0 : colour);
      rgb[pixel * 3 + colour] = (data[from] as number) >> shift;
    }
  }
  return { width, height, rgb };
}

/** Returns the image in another size; each pixel is the nearest one of the original. */
export function resized({ width, height, rgb }: Pixels, toWidth: number, toHeight: number): Pixels {
  const result = new Uint8Array(toWidth * toHeight * 3);
  let to = 0;
  for (let y = 0; y < toHeight; y++) {
    const row = Math.floor((y + 0.5) * height / toHeight) * width;
    for (let x = 0; x < toWidth; x++) {
      const from = (row + Math.floor((x + 0.5) * width / toWidth)) * 3;
      result[to++] = rgb[from] as number;
      result[to++] = rgb[from + 1] as number;
      result[to++] = rgb[from + 2] as number;
    }
  }
  return { width: toWidth, height: toHeight, rgb: result };
}
