import { HubError, hubError, hubFailure, type HubFile, openHubUrl } from "./open_hub_file.ts";
import { hubText } from "./fetch_hub_file.ts";

/**
 * Returns the paths of all files of a dataset on a hub.
 * @returns undefined if the hub, or a mirror of it, does not list files
 * @throws {HubError} if it is unreachable, or requires a token
 */
export async function listHubFiles(
  { endpoint, repository, token }: Pick<HubFile, "endpoint" | "repository" | "token">,
  interrupt: AbortSignal,
): Promise<string[] | undefined> {
  const url = `${endpoint}/api/datasets/${repository}`;
  const where = { endpoint, repository, file: "the list of files", token };
  const response = await openHubUrl({ ...where, url }, { interrupt, mayLack: true });
  if (response === undefined) return undefined;
  let answer: unknown;
  try {
    answer = JSON.parse(await hubText(response, where));
  } catch (error) {
    interrupt.throwIfAborted();
    if (error instanceof HubError) throw error;
    throw hubError(where, error instanceof SyntaxError ? "it is not JSON" : hubFailure(error));
  }
  const siblings = (answer as { siblings?: unknown } | null)?.siblings;
  if (!Array.isArray(siblings)) return undefined;
  return siblings.flatMap((sibling: { rfilename?: unknown } | null) =>
    typeof sibling?.rfilename === "string" ? [sibling.rfilename] : []
  );
}
