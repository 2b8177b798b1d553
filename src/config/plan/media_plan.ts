/** Content of requests other than text: images, recordings, and the passages of rankings. */

/** Numbers that are drawn: normally distributed. */
export interface Spread {
  readonly mean: number;
  readonly stddev: number;
}

/** Synthetic images of each request. */
export interface ImagesPlan {
  readonly perRequest: number;
  /** In pixels. */
  readonly width: Spread;
  readonly height: Spread;
  readonly format: "png" | "jpeg" | "random";
  /** Where they are taken from; absent for noise. */
  readonly source?: ImageFolderPlan;
}

/** Images of a folder. */
export interface ImageFolderPlan {
  readonly folder: string;
  readonly sampling: "random-with-replacement" | "shuffle-cycle" | "sequential-cycle";
}

/** Synthetic recordings of each request, as WAV. */
export interface RecordingsPlan {
  readonly perRequest: number;
  readonly seconds: Spread;
  /** Bits of a sample: one of these. */
  readonly depths: readonly number[];
  /** Samples per second: one of these. */
  readonly sampleRates: readonly number[];
  readonly channels: number;
}

/** A query and passages, in the place of a prompt. */
export interface RankingsPlan {
  readonly passages: Spread;
  /** In tokens, as the next. */
  readonly passageLength: Spread;
  readonly queryLength: Spread;
}
