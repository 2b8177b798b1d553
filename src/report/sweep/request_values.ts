import { artifactNames } from "../export/artifact_names.ts";

/**
 * A metric's values of the valid requests of a run, from its file of records.
 * @param tag of a metric of requests
 * @returns empty if there is no such file, or the metric has no values
 */
export async function requestValues(
  folder: string,
  prefix: string | undefined,
  tag: string,
): Promise<number[]> {
  let text: string;
  try {
    text = await Deno.readTextFile(`${folder}/${artifactNames(prefix).records}`);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return [];
    throw error;
  }
  return text.split("\n").flatMap((line) => {
    if (line === "") return [];
    const { metadata, metrics, error } = JSON.parse(line);
    const value = metrics?.[tag]?.["value"];
    const counts = metadata?.["benchmark_phase"] === "profiling" && (error ?? null) === null;
    return counts && typeof value === "number" ? [value] : [];
  });
}
