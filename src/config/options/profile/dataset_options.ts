import { PUBLIC_DATASETS } from "../../public_datasets/public_datasets.ts";
import type { OptionTable } from "../option.ts";

const DATASETS = "Data sets by name";
const NEEDS = { needs: ["publicDataset"] } as const;

/** The options of `inferometer profile` about data sets that are known by name. */
export const DATASET_OPTIONS = {
  publicDataset: {
    kind: "text",
    group: DATASETS,
    help: "Prompts from a public data set: from the hub's local cache, else from the hub; " +
      "docs/datasets.md lists them",
    value: "name",
    suggestions: PUBLIC_DATASETS.map(({ name }) => name),
    excludes: ["inputFile", "customDatasetType", "isl", "islStddev"],
    mistakenFor: ["public-data", "hf-dataset", "hf-name"],
    example: "--public-dataset sharegpt",
  },
  publicDatasetFolder: {
    kind: "text",
    group: DATASETS,
    help: "Folder, or file, in which the data set is: nothing else is looked up then",
    value: "folder",
    completes: "folder",
    ...NEEDS,
    mistakenFor: ["dataset-folder", "dataset-dir"],
    example: "--public-dataset sharegpt --public-dataset-folder ./ShareGPT",
  },
  hfSubset: {
    kind: "text",
    aliases: ["hf-dataset-subset"],
    group: DATASETS,
    help: "Another part of the data set's repository than the usual one",
    value: "name",
    ...NEEDS,
    example: "--public-dataset llava_onevision --hf-subset ai2d(cauldron,llava_format)",
  },
  datasetFilter: {
    kind: "texts",
    group: DATASETS,
    help: "Only rows that have this value in this column; several must all be met",
    value: "column=value",
    single: true,
    ...NEEDS,
    example: "--public-dataset spec_bench --dataset-filter category=coding",
  },
} as const satisfies OptionTable;
