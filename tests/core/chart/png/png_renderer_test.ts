import assert from "node:assert/strict";
import { pngRenderer } from "../../../../src/core/chart/png/png_renderer.ts";

/** Width, height and compressed bytes of a PNG file. */
function sizeOf(png: Uint8Array): { width: number; height: number; bytes: number } {
  const view = new DataView(png.buffer, png.byteOffset);
  assert.equal(view.getUint32(0), 0x89504e47);
  return { width: view.getUint32(16), height: view.getUint32(20), bytes: png.length };
}

function picture(content: string): string {
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 60 30" width="60" height="30">
    <rect width="60" height="30" fill="#fff"/>${content}</svg>`;
}

Deno.test("pngRenderer draws a picture twice as large as its units, text included", async () => {
  const renderer = await pngRenderer();
  const empty = sizeOf(renderer(picture("")));
  assert.deepEqual([empty.width, empty.height], [120, 60]);
  const text = (words: string) =>
    renderer(picture(`<text x="4" y="20" font-family="system-ui, sans-serif">${words}</text>`));
  assert.ok(sizeOf(text("TTFT")).bytes > empty.bytes + 50, "letters are drawn");
  assert.notDeepEqual(text("p50"), text("p99"));
  // Another renderer shares what was loaded.
  const again = await pngRenderer();
  assert.deepEqual(again(picture("")), renderer(picture("")));
});
