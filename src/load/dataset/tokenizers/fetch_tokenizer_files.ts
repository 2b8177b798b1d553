import { fetchHubFile, HubError } from "../../../config/hub/fetch_hub_file.ts";
import { hubSettings } from "../../../config/hub/hub_settings.ts";
import type { TokenizerPlan } from "../../../config/plan/run_plan.ts";
import type { TokenizerFiles } from "./file_tokenizer.ts";

/**
 * Fetches the tokenizer of a model from its hub.
 * @param withChatTemplate whether the file of its chat template is fetched as well
 * @throws {HubError} if it cannot be fetched, or the model has none
 */
export async function fetchTokenizerFiles(
  { name, endpoint, revision }: Omit<Extract<TokenizerPlan, { kind: "hub" }>, "kind">,
  withChatTemplate = false,
): Promise<TokenizerFiles> {
  const { token } = hubSettings();
  const [definition, config, chatTemplate] = await Promise.all(
    [
      ...["tokenizer.json", "tokenizer_config.json"],
      ...withChatTemplate ? ["chat_template.jinja"] : [],
    ].map((file) => fetchHubFile({ endpoint, repository: name, file, revision, token })),
  );
  if (definition === undefined) {
    throw new HubError(`"${name}" has no tokenizer.json on ${endpoint}: use --tokenizer builtin`);
  }
  return {
    name,
    definition,
    config: config ?? "{}",
    ...(chatTemplate === undefined ? {} : { chatTemplate }),
  };
}
