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
    help: "Width of synthetic images; with a height, each request has an image",
    needs: ["imageHeightMean"],
    mistakenFor: ["image-width", "image-size", "image-resolution"],
    example: "--image-width-mean 512 --image-height-mean 512",
  },
  imageWidthStddev: {
    ...PIXELS,
    help: "Standard deviation of the image width",
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
    help: "Standard deviation of the image height",
    needs: ["imageHeightMean"],
    default: 0,
  },
  imageBatchSize: {
    ...BATCH,
    aliases: ["batch-size-image"],
    help: "Number of different images per request",
    unit: "images",
    mistakenFor: ["image-count", "images-per-request"],
    default: 1,
  },
  imageFormat: {
    kind: "text",
    group: MEDIA,
    help: "Encoding of synthetic images; random selects one for each image",
    value: "format",
    choices: ["png", "jpeg", "random"],
    synonyms: { "jpg": "jpeg" },
    excludes: ["inputFile"],
    default: "png",
  },
  imageSource: {
    kind: "text",
    group: MEDIA,
    help: "Source of images: noise, or a folder of PNG and JPEG files, scaled to the given size",
    value: "noise|folder",
    completes: "folder",
    excludes: ["inputFile"],
    default: "noise",
    example: "--image-source ./photos --image-width-mean 512 --image-height-mean 512",
  },
  imageSourceSampling: {
    kind: "text",
    group: MEDIA,
    help: "Order in which the folder's images are used",
    value: "order",
    choices: ["random-with-replacement", "shuffle-cycle", "sequential-cycle"],
    needs: ["imageSource"],
    excludes: ["inputFile"],
    default: "random-with-replacement",
  },
  audioLengthMean: {
    ...LENGTH,
    help: "Length of synthetic audio (noise); each request then has a recording",
    mistakenFor: ["audio-length", "audio-duration"],
    example: "--audio-length-mean 10 --audio-sample-rates 16",
  },
  audioLengthStddev: {
    ...LENGTH,
    help: "Standard deviation of the audio length",
    needs: ["audioLengthMean"],
    default: 0,
  },
  audioBatchSize: {
    ...BATCH,
    aliases: ["batch-size-audio"],
    help: "Number of different recordings per request",
    unit: "recordings",
    default: 1,
  },
  audioFormat: {
    kind: "text",
    group: MEDIA,
    help: "Encoding of synthetic recordings; for other formats use an input file",
    value: "format",
    choices: ["wav"],
    excludes: ["inputFile"],
    default: "wav",
    restatesDefault: true,
  },
  audioDepths: {
    kind: "texts",
    group: MEDIA,
    help: "Bits per sample (8, 16, 24, 32); with several, one is drawn for each recording",
    value: "bits",
    words: true,
    excludes: ["inputFile"],
    default: ["16"],
  },
  audioSampleRates: {
    kind: "texts",
    group: MEDIA,
    help: "Sample rate in kHz (above 96 in Hz); with several, one is drawn for each recording",
    value: "kHz",
    words: true,
    excludes: ["inputFile"],
    default: ["16"],
  },
  audioNumChannels: {
    ...COUNT,
    max: 2,
    group: MEDIA,
    help: "Number of channels of a recording",
    value: "channels",
    unit: "channels",
    excludes: ["inputFile"],
    default: 1,
  },
  downloadVideoContent: {
    kind: "flag",
    group: MEDIA,
    help: "Download generated videos as a part of their request",
  },
  rankingsPassagesMean: {
    ...COUNT,
    max: 100_000,
    group: RANKINGS,
    help: "Number of passages per ranking request",
    unit: "passages",
    excludes: ["inputFile"],
    default: 1,
    example: "--endpoint-type cohere-rankings --rankings-passages-mean 10",
  },
  rankingsPassagesStddev: {
    kind: "number",
    group: RANKINGS,
    help: "Standard deviation of the number of passages",
    unit: "passages",
    min: 0,
    max: 100_000,
    excludes: ["inputFile"],
    default: 0,
  },
  rankingsPassagesPromptTokenMean: { ...QUERY, help: "Length of a passage", default: 550 },
  rankingsPassagesPromptTokenStddev: {
    ...SPREAD,
    help: "Standard deviation of the passage length",
    default: 0,
  },
  rankingsQueryPromptTokenMean: { ...QUERY, help: "Length of a query", default: 550 },
  rankingsQueryPromptTokenStddev: {
    ...SPREAD,
    help: "Standard deviation of the query length",
    default: 0,
  },
} as const satisfies OptionTable;
