import { pngRenderer } from "../../core/chart/png/png_renderer.ts";
import { PLOT_FOLDER } from "../../report/export/artifact_names.ts";
import type { FileSink } from "../../report/export/file_sink.ts";

/**
 * Writes charts as files into the folder of plots.
 * @param svgs file names that end with `.svg`, and their contents
 * @param formats file formats: `svg`, `png`
 * @returns the names of the files in the artifact folder
 * @throws {ExportError} if a file cannot be written
 */
export async function writePlots(
  svgs: Iterable<[name: string, svg: string]>,
  sink: FileSink,
  formats: readonly string[],
): Promise<string[]> {
  const names: string[] = [];
  const write = async (name: string, content: string | Uint8Array): Promise<void> => {
    const path = `${PLOT_FOLDER}/${name}`;
    await sink.write(path, [content]);
    names.push(path);
  };
  const renderer = formats.includes("png") ? await pngRenderer() : undefined;
  for (const [name, svg] of svgs) {
    if (formats.includes("svg")) await write(name, svg);
    if (renderer !== undefined) await write(name.replace(/\.svg$/, ".png"), renderer(svg));
  }
  return names;
}
