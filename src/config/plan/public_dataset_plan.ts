/** A dataset by name: which rows are read, and where they are. */
export interface PublicDatasetPlan {
  /** Name of its row in the table of datasets. */
  readonly name: string;
  /** undefined where its repository has no parts. */
  readonly subset: string | undefined;
  readonly split: string;
  /** Whether the user named the subset. */
  readonly isOtherSubset: boolean;
  /** Columns and the values that rows must have there. */
  readonly filters: readonly (readonly [column: string, value: string])[];
  /** Maximum number of conversations built from the dataset. */
  readonly entries: number;
  readonly place: DatasetPlace;
}

/** The place of the files of a dataset. */
export type DatasetPlace =
  | {
    readonly kind: "local";
    readonly files: readonly string[];
    /** Name of the place in messages. */
    readonly from: "the cache" | "a folder";
  }
  /** Main fetches them before it is confined. */
  | {
    readonly kind: "hub";
    readonly endpoint: string;
    /** URL of the only file, where that is not on the hub. */
    readonly url?: string;
  };
