/** Images, recordings and passages that the options of a run request. */

import type { EndpointType } from "../../../client/endpoint/protocol/endpoint_type.ts";
import type { ProfileSettings } from "../../options/profile/profile_options.ts";
import { PROFILE_OPTIONS } from "../../options/profile/profile_options.ts";
import { flagOf } from "../../options/option.ts";
import { UsageError } from "../../options/usage_error.ts";
import type { ImagesPlan, RankingsPlan, RecordingsPlan } from "../media_plan.ts";
import type { PromptsPlan } from "../prompts_plan.ts";
import { hasGivenPrompts } from "../load/resolve_phases.ts";

/** Default size of an image in pixels, for requests that must have one. */
const DEFAULT_PIXELS = 512;
const DEFAULT_SECONDS = 5;
const DEPTHS = [8, 16, 24, 32];
/** Rates above this are in Hz, those up to it in kHz; as AIPerf reads them. */
const MAX_KHZ = 96;
const MAX_HZ = 768_000;

/** Options of media, and the medium that an endpoint type has to take. */
const MEDIA_OF = [
  ["imageWidthMean", "image"],
  ["audioLengthMean", "audio"],
] as const;

/**
 * The media of synthetic requests; of a type that takes them.
 * @throws {UsageError} naming the option that cannot be used
 */
export function mediaPlan(
  settings: ProfileSettings,
  type: EndpointType,
): Pick<PromptsPlan, "images" | "recordings" | "rankings" | "withoutText"> {
  const images = type.media.includes("image") ? imagesPlan(settings, type) : undefined;
  const recordings = type.media.includes("audio") ? recordingsPlan(settings, type) : undefined;
  return {
    ...(type.tokenizesInput ? {} : { withoutText: true }),
    ...(images === undefined ? {} : { images }),
    ...(recordings === undefined ? {} : { recordings }),
    ...(type.ranksPassages ? { rankings: rankingsPlan(settings) } : {}),
  };
}

/** A sentence for each option that means nothing to this type, and for what it takes by itself. */
export function mediaNotices(settings: ProfileSettings, type: EndpointType): string[] {
  const notices: string[] = [];
  const isWithout = (flag: string, what: string): string =>
    `${flag} has no effect: endpoint type ${type.name} ${what}`;
  for (const [name, media] of MEDIA_OF) {
    if (settings[name] !== undefined && !type.media.includes(media)) {
      notices.push(
        isWithout(flagOf(name), media === "image" ? "takes no images" : "takes no audio"),
      );
    }
  }
  if (hasGivenPrompts(settings)) return notices;
  if (type.requiredMedia === "image" && settings.imageWidthMean === undefined) {
    notices.push(
      `Endpoint type ${type.name} needs an image: each request has one of ${DEFAULT_PIXELS}x` +
        `${DEFAULT_PIXELS} pixels, --image-width-mean and --image-height-mean say otherwise`,
    );
  }
  if (type.requiredMedia === "audio" && settings.audioLengthMean === undefined) {
    notices.push(
      `Endpoint type ${type.name} needs a recording: each request has one of ${DEFAULT_SECONDS} s, ` +
        "--audio-length-mean says otherwise",
    );
  }
  const isIslGiven = settings.isl !== PROFILE_OPTIONS.isl.default;
  if (isIslGiven && type.ranksPassages) {
    notices.push(
      isWithout(
        "--isl",
        "has a query and passages: --rankings-query-prompt-token-mean and " +
          "--rankings-passages-prompt-token-mean are their lengths",
      ),
    );
  } else if (isIslGiven && !type.tokenizesInput) {
    notices.push(isWithout("--isl", "takes no text"));
  }
  if (settings.promptBatchSize > 1 && (type.ranksPassages || !type.tokenizesInput)) {
    const reason = type.ranksPassages ? "has a query and passages" : "takes no text";
    notices.push(isWithout("--prompt-batch-size", reason));
  }
  if (settings.downloadVideoContent && !type.setup?.names.includes("download_video_content")) {
    notices.push(isWithout("--download-video-content", "makes no videos"));
  }
  const { rankingsPassagesMean } = settings;
  if (
    rankingsPassagesMean !== PROFILE_OPTIONS.rankingsPassagesMean.default && !type.ranksPassages
  ) {
    notices.push(isWithout("--rankings-passages-mean", "ranks nothing"));
  }
  return notices;
}

function imagesPlan(settings: ProfileSettings, type: EndpointType): ImagesPlan | undefined {
  const usual = type.requiredMedia === "image" ? DEFAULT_PIXELS : 0;
  const { imageWidthMean: width = usual, imageHeightMean: height = usual } = settings;
  const perRequest = settings.imageBatchSize;
  if (width === 0 || height === 0 || perRequest === 0) {
    if (type.requiredMedia !== "image") return undefined;
    throw new UsageError(
      perRequest === 0 ? "--image-batch-size" : "--image-width-mean",
      `Must not be 0: endpoint type ${type.name} needs an image`,
    );
  }
  const { imageSource, imageSourceSampling } = settings;
  if (imageSource === "assets") {
    throw new UsageError(
      "--image-source",
      "AIPerf's own images are not included: set a folder, or noise",
    );
  }
  const sampling = imageSourceSampling as NonNullable<ImagesPlan["source"]>["sampling"];
  return {
    perRequest,
    width: { mean: width, stddev: settings.imageWidthStddev },
    height: { mean: height, stddev: settings.imageHeightStddev },
    format: settings.imageFormat as ImagesPlan["format"],
    ...(imageSource === "noise" ? {} : { source: { folder: imageSource, sampling } }),
  };
}

function recordingsPlan(settings: ProfileSettings, type: EndpointType): RecordingsPlan | undefined {
  const usual = type.requiredMedia === "audio" ? DEFAULT_SECONDS : 0;
  const { audioLengthMean: seconds = usual, audioBatchSize: perRequest } = settings;
  if (seconds === 0 || perRequest === 0) {
    if (type.requiredMedia !== "audio") return undefined;
    throw new UsageError(
      perRequest === 0 ? "--audio-batch-size" : "--audio-length-mean",
      `Must not be 0: endpoint type ${type.name} needs a recording`,
    );
  }
  return {
    perRequest,
    seconds: { mean: seconds, stddev: settings.audioLengthStddev },
    depths: numbersOf(
      "audioDepths",
      settings.audioDepths,
      (bits) => DEPTHS.includes(bits) ? bits : undefined,
      `one of ${DEPTHS.join(", ")} bits`,
    ),
    sampleRates: numbersOf("audioSampleRates", settings.audioSampleRates, (rate) => {
      const hertz = Math.round(rate > MAX_KHZ ? rate : rate * 1000);
      return rate > 0 && hertz >= 1 && hertz <= MAX_HZ ? hertz : undefined;
    }, `kHz up to ${MAX_KHZ}, or Hz up to ${MAX_HZ}`),
    channels: settings.audioNumChannels,
  };
}

function numbersOf(
  name: "audioDepths" | "audioSampleRates",
  texts: readonly string[],
  read: (value: number) => number | undefined,
  wanted: string,
): number[] {
  return texts.flatMap((text) => text.split(/[,\s]+/)).filter((text) => text !== "").map((text) => {
    const number = read(Number(text));
    if (number === undefined) throw new UsageError(flagOf(name), `Must be ${wanted}: got ${text}`);
    return number;
  });
}

function rankingsPlan(settings: ProfileSettings): RankingsPlan {
  return {
    passages: { mean: settings.rankingsPassagesMean, stddev: settings.rankingsPassagesStddev },
    passageLength: {
      mean: settings.rankingsPassagesPromptTokenMean,
      stddev: settings.rankingsPassagesPromptTokenStddev,
    },
    queryLength: {
      mean: settings.rankingsQueryPromptTokenMean,
      stddev: settings.rankingsQueryPromptTokenStddev,
    },
  };
}
