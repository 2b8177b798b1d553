import { fetchHubFile, HubError } from "../hub/fetch_hub_file.ts";
import { hubSettings } from "../hub/hub_settings.ts";
import type { TokenizerFiles } from "./file_tokenizer.ts";

/**
 * Fetches the tokenizer of a model from its hub.
 * @throws {HubError} if it cannot be fetched, or the model has none
 */
export async function fetchTokenizerFiles(
  { name, endpoint }: { readonly name: string; readonly endpoint: string },
): Promise<TokenizerFiles> {
  const { token } = hubSettings();
  const [definition, config] = await Promise.all(
    ["tokenizer.json", "tokenizer_config.json"].map((file) =>
      fetchHubFile({ endpoint, model: name, file, token })
    ),
  );
  if (definition === undefined) {
    throw new HubError(`"${name}" has no tokenizer.json on ${endpoint}: use --tokenizer builtin`);
  }
  return { name, definition, config: config ?? "{}" };
}
