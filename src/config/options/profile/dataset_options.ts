import { PUBLIC_DATASETS } from "../../public_datasets/public_datasets.ts";
import type { OptionTable } from "../option.ts";

const DATASETS = "Public datasets";
const NEEDS = { needs: ["publicDataset"] } as const;

/** The options of `inferometer profile` for datasets that are known by name. */
export const DATASET_OPTIONS = {
  publicDataset: {
    kind: "text",
    group: DATASETS,
    help: "Public dataset to take prompts from, by name (listed in docs/datasets.md)",
    value: "name",
    suggestions: PUBLIC_DATASETS.map(({ name }) => name),
    excludes: ["inputFile", "customDatasetType", "isl", "islStddev"],
    mistakenFor: ["public-data", "hf-dataset", "hf-name"],
    example: "--public-dataset sharegpt",
  },
  hfWekaDataset: {
    kind: "text",
    group: DATASETS,
    help: "Repository of Weka traces on the hub: recorded agent sessions to replay",
    value: "owner/name",
    excludes: ["inputFile", "customDatasetType", "publicDataset", "isl", "islStddev"],
    example: "--hf-weka-dataset semianalysisai/cc-traces-weka-061526 --streaming",
  },
  publicDatasetFolder: {
    kind: "text",
    group: DATASETS,
    help: "Folder or file that contains the dataset; disables other lookups",
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
    help: "Part of the dataset's repository to read instead of the default part",
    value: "name",
    ...NEEDS,
    example: "--public-dataset llava_onevision --hf-subset ai2d(cauldron,llava_format)",
  },
  datasetFilter: {
    kind: "texts",
    group: DATASETS,
    help: "Use only rows with this value in this column; several conditions must all hold",
    value: "column=value",
    single: true,
    ...NEEDS,
    example: "--public-dataset spec_bench --dataset-filter category=coding",
  },
} as const satisfies OptionTable;
