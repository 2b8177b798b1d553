import { COUNT, TOKEN_SPREAD, TOKENS } from "../number_rows.ts";
import type { OptionTable } from "../option.ts";

const MEDIA = "Images and audio";
const RANKINGS = "Rankings";

/** A side of an image. */
const PIXELS = {
  kind: "number",
  group: MEDIA,
  value: "pixels",
  unit: "pixels",
  min: 0,
  max: 16_384,
  excludes: ["inputFile"],
} as const;

/** A number of images or recordings in a request. */
const BATCH = { ...COUNT, min: 0, max: 1000, group: MEDIA, excludes: ["inputFile"] } as const;

/** A time of a recording. */
const LENGTH = {
  kind: "number",
  group: MEDIA,
  value: "seconds",
  unit: "seconds",
  min: 0,
  max: 36_000,
  excludes: ["inputFile"],
} as const;

const QUERY = { ...TOKENS, group: RANKINGS, excludes: ["inputFile"] } as const;
const SPREAD = { ...TOKEN_SPREAD, group: RANKINGS, excludes: ["inputFile"] } as const;

/** The options of `inferometer profile` about synthetic images, recordings, and passages to rank. */
export const MEDIA_OPTIONS = {
  imageWidthMean: {
    ...PIXELS,
    help: "Width of synthetic images; with a height, each request has one",
    needs: ["imageHeightMean"],
    mistakenFor: ["image-width", "image-size", "image-resolution"],
    example: "--image-width-mean 512 --image-height-mean 512",
  },
  imageWidthStddev: {
    ...PIXELS,
    help: "Standard deviation of the width",
    needs: ["imageWidthMean"],
    default: 0,
  },
  imageHeightMean: {
    ...PIXELS,
    help: "Height of synthetic images",
    needs: ["imageWidthMean"],
    mistakenFor: ["image-height"],
  },
  imageHeightStddev: {
    ...PIXELS,
    help: "Standard deviation of the height",
    needs: ["imageHeightMean"],
    default: 0,
  },
  imageBatchSize: {
    ...BATCH,
    aliases: ["batch-size-image"],
    help: "Images in a request, all of them different",
    unit: "images",
    mistakenFor: ["image-count", "images-per-request"],
    default: 1,
  },
  imageFormat: {
    kind: "text",
    group: MEDIA,
    help: "How synthetic images are encoded; random takes either of the two for each",
    value: "format",
    choices: ["png", "jpeg", "random"],
    synonyms: { "jpg": "jpeg" },
    excludes: ["inputFile"],
    default: "png",
  },
  imageSource: {
    kind: "text",
    group: MEDIA,
    help:
      "What images show: noise, or those of a folder (PNG and JPEG) in the size that is asked for",
    value: "noise|folder",
    completes: "folder",
    excludes: ["inputFile"],
    default: "noise",
    example: "--image-source ./photos --image-width-mean 512 --image-height-mean 512",
  },
  imageSourceSampling: {
    kind: "text",
    group: MEDIA,
    help: "Which image of the folder is next",
    value: "order",
    choices: ["random-with-replacement", "shuffle-cycle", "sequential-cycle"],
    needs: ["imageSource"],
    excludes: ["inputFile"],
    default: "random-with-replacement",
  },
  audioLengthMean: {
    ...LENGTH,
    help: "Length of synthetic recordings, which are noise; each request has one then",
    mistakenFor: ["audio-length", "audio-duration"],
    example: "--audio-length-mean 10 --audio-sample-rates 16",
  },
  audioLengthStddev: {
    ...LENGTH,
    help: "Standard deviation of the length",
    needs: ["audioLengthMean"],
    default: 0,
  },
  audioBatchSize: {
    ...BATCH,
    aliases: ["batch-size-audio"],
    help: "Recordings in a request, all of them different",
    unit: "recordings",
    default: 1,
  },
  audioFormat: {
    kind: "text",
    group: MEDIA,
    help: "How recordings are encoded; other formats are taken from files",
    value: "format",
    choices: ["wav"],
    excludes: ["inputFile"],
    default: "wav",
    restatesDefault: true,
  },
  audioDepths: {
    kind: "texts",
    group: MEDIA,
    help: "Bits of a sample, of 8, 16, 24 and 32; one of several is drawn for each recording",
    value: "bits",
    words: true,
    excludes: ["inputFile"],
    default: ["16"],
  },
  audioSampleRates: {
    kind: "texts",
    group: MEDIA,
    help: "Samples in a second, in kHz, above 96 in Hz; one of several is drawn for each recording",
    value: "kHz",
    words: true,
    excludes: ["inputFile"],
    default: ["16"],
  },
  audioNumChannels: {
    ...COUNT,
    max: 2,
    group: MEDIA,
    help: "Channels of a recording",
    value: "channels",
    unit: "channels",
    excludes: ["inputFile"],
    default: 1,
  },
  downloadVideoContent: {
    kind: "flag",
    group: MEDIA,
    help: "Fetch videos that were generated, as a part of their request",
  },
  rankingsPassagesMean: {
    ...COUNT,
    max: 100_000,
    group: RANKINGS,
    help: "Passages of a request that is to rank them",
    unit: "passages",
    excludes: ["inputFile"],
    default: 1,
    example: "--endpoint-type cohere-rankings --rankings-passages-mean 10",
  },
  rankingsPassagesStddev: {
    kind: "number",
    group: RANKINGS,
    help: "Standard deviation of their number",
    unit: "passages",
    min: 0,
    max: 100_000,
    excludes: ["inputFile"],
    default: 0,
  },
  rankingsPassagesPromptTokenMean: { ...QUERY, help: "Length of a passage", default: 550 },
  rankingsPassagesPromptTokenStddev: {
    ...SPREAD,
    help: "Standard deviation of the length of passages",
    default: 0,
  },
  rankingsQueryPromptTokenMean: { ...QUERY, help: "Length of a query", default: 550 },
  rankingsQueryPromptTokenStddev: {
    ...SPREAD,
    help: "Standard deviation of the length of queries",
    default: 0,
  },
} as const satisfies OptionTable;
