// deno-lint-ignore-file no-console
/**
 * Copies `src/core/chart/png/resvg.wasm` from the npm package @resvg/resvg-wasm. The font beside it is
 * DejaVu Sans with the letters of Western languages alone, made by fonttools:
 *
 *     pyftsubset DejaVuSans.ttf --no-hinting --drop-tables+=GSUB,GPOS,GDEF,kern \
 *       --unicodes=U+0020-007E,U+00A0-00FF,U+2013,U+2014,U+2018-201D,U+2022,U+2026,U+2190-2193,U+2264,U+2265
 */

const wasm = await Deno.readFile(
  new URL("index_bg.wasm", import.meta.resolve("npm:@resvg/resvg-wasm@2.6.2")),
);
await Deno.writeFile(new URL("../src/core/chart/png/resvg.wasm", import.meta.url), wasm);
console.log(`${wasm.length} bytes`);
