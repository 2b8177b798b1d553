/**
 * Converts SVG charts into PNG files: resvg as WebAssembly, with a font of its own, so that it is
 * independent of the machine. It is loaded only where a PNG is wanted.
 */

import { initWasm, Resvg } from "npm:@resvg/resvg-wasm@2.6.2";
import { readEmbeddedFile } from "../../files/embedded_file.ts";

const FONT = "DejaVu Sans";
/** Pixels per unit of an image: sharp on dense screens and in print. */
const SCALE = 2;

/** Renders an SVG image as the bytes of a PNG file. */
export interface PngRenderer {
  (svg: string): Uint8Array;
}

let started: Promise<Uint8Array> | undefined;

/** A renderer; its first one loads what all of them need. */
export async function pngRenderer(): Promise<PngRenderer> {
  const font = await (started ??= start());
  return (svg) =>
    new Resvg(svg, {
      fitTo: { mode: "zoom", value: SCALE },
      font: { fontBuffers: [font], defaultFontFamily: FONT, sansSerifFamily: FONT },
    }).render().asPng();
}

async function start(): Promise<Uint8Array> {
  const [renderer, font] = await Promise.all([
    readEmbeddedFile(new URL("./resvg.wasm", import.meta.url)),
    readEmbeddedFile(new URL("./font.ttf", import.meta.url)),
  ]);
  await initWasm(renderer);
  return font;
}
