/** A data set by name: which rows are read, and where they are. */
export interface PublicDatasetPlan {
  /** Its row in the table of data sets. */
  readonly name: string;
  /** undefined where its repository has no parts. */
  readonly subset: string | undefined;
  readonly split: string;
  /** Whether the user named the subset. */
  readonly isOtherSubset: boolean;
  /** Columns and the values that rows must have there. */
  readonly filters: readonly (readonly [column: string, value: string])[];
  /** Conversations that are made of it at most. */
  readonly entries: number;
  readonly place: DatasetPlace;
}

/** The place of the files of a data set. */
export type DatasetPlace =
  | {
    readonly kind: "local";
    readonly files: readonly string[];
    /** What messages call the place. */
    readonly from: "the cache" | "a folder";
  }
  /** Main fetches them before it is confined. */
  | {
    readonly kind: "hub";
    readonly endpoint: string;
    /** URL of the only file, where that is not on the hub. */
    readonly url?: string;
  };
