import { listHubFiles } from "../../../config/hub/list_hub_files.ts";
import { hubError } from "../../../config/hub/open_hub_file.ts";
import { hubSettings } from "../../../config/hub/hub_settings.ts";
import type { PublicDatasetPlan } from "../../../config/plan/public_dataset_plan.ts";
import type { FileDatasetPlan } from "../../../config/plan/run_plan.ts";
import { filePattern, filesOfPart } from "../../../config/public_datasets/dataset_files.ts";
import type { PublicDataset } from "../../../config/public_datasets/public_dataset.ts";
import { publicDataset } from "../../../config/public_datasets/public_datasets.ts";
import type { Conversation } from "../conversations/conversation.ts";
import { DatasetError } from "../../../core/files/dataset_error.ts";
import type { InputContext, OpenInput } from "../load_dataset.ts";
import type { DatasetRow } from "./dataset_row.ts";
import { HubRowFile, repositoryRowFile } from "./hub_row_file.ts";
import { LocalRowFile } from "./local_row_file.ts";
import { readRows } from "./read_rows.ts";
import type { RowFile } from "./row_file.ts";
import { rowColumns, RowConversations } from "./row_conversations.ts";

/** Public dataset, by name, that a run uses. */
type PublicDatasetInput = FileDatasetPlan & { readonly public: PublicDatasetPlan };

/** Opens a public dataset by its name; nothing is read or fetched yet. */
export function openPublicDataset(
  dataset: PublicDatasetInput,
  context: InputContext,
): Promise<OpenInput> {
  return Promise.resolve({
    path: dataset.path,
    conversations: () => readPublicDataset(dataset, context),
    // Never sent while it is read: main is confined then, and as much as is sent is few.
    isStream: false,
    isLong: () => Promise.resolve(false),
    pagingObstacle: () => Promise.resolve("a dataset by name is read before the run"),
    beginPaging: () => Promise.resolve(),
    close() {},
  });
}

/**
 * Yields the conversations of a public dataset. Reading ends at the last conversation that is
 * needed, wherever the dataset is stored.
 * @throws {DatasetError} naming file and row of what is wrong
 * @throws {HubError} if a file cannot be fetched
 */
async function* readPublicDataset(
  dataset: PublicDatasetInput,
  context: InputContext,
): AsyncGenerator<Conversation> {
  const plan = dataset.public;
  const row = publicDataset(plan.name);
  if (row === undefined) throw new RangeError(`Unknown dataset ${plan.name}`);
  const files = await filesOf(plan, row, context);
  if (plan.place.kind === "hub") {
    context.note(`${plan.name}: read from ${files.map(({ path }) => path).slice(0, 3).join(", ")}`);
  }
  const conversations = new RowConversations(row, dataset, context);
  const columns = [...rowColumns(row), ...plan.filters.map(([column]) => column)];
  let count = 0;
  try {
    for (const file of files) {
      for await (const fields of readRows(file, columns)) {
        if (!isWanted(fields, plan.filters)) continue;
        const conversation = conversations.of(fields);
        if (conversation === undefined) continue;
        yield conversation;
        if (++count >= plan.entries) return;
      }
    }
  } finally {
    conversations.finish();
  }
  if (count > 0) return;
  throw new DatasetError(
    plan.name,
    undefined,
    plan.filters.length > 0
      ? `No row has ${plan.filters.map((filter) => filter.join("=")).join(" and ")}`
      : "No row can be sent",
  );
}

async function filesOf(
  plan: PublicDatasetPlan,
  row: PublicDataset,
  { interrupt }: InputContext,
): Promise<RowFile[]> {
  const { place, subset, split, isOtherSubset } = plan;
  if (place.kind === "local") return place.files.map((path) => new LocalRowFile(path, interrupt));
  const { endpoint } = place;
  const { repository } = row;
  if (place.url !== undefined) {
    const where = { url: place.url, endpoint, repository, file: row.files, token: undefined };
    return [new HubRowFile(where, interrupt)];
  }
  const { token } = hubSettings();
  const part = { subset, split, files: row.files };
  const pattern = filePattern(part);
  const isOne = !pattern.includes("*") && (!isOtherSubset || row.files.includes("{subset}"));
  const listed = isOne ? undefined : await listHubFiles({ endpoint, repository, token }, interrupt);
  const paths = listed === undefined
    // What the only file is called where there is only one.
    ? [pattern.replace("*", "00000-of-00001")]
    : filesOfPart(listed, part, isOtherSubset);
  if (paths.length === 0) {
    throw hubError({ endpoint, repository, file: pattern }, "no such file exists");
  }
  return paths.map((file) => repositoryRowFile({ endpoint, repository, file, token }, interrupt));
}

/** Whether a row has the values that were asked for, in any letter case. */
function isWanted(row: DatasetRow, filters: PublicDatasetPlan["filters"]): boolean {
  return filters.every(([column, wanted]) => {
    if (!(column in row.fields)) throw row.error("There is no such column", column);
    return String(row.fields[column]).toLowerCase() === wanted.toLowerCase();
  });
}
