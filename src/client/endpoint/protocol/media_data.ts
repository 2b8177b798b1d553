/** Images and audio that a data URI carries in itself. */

/** What a data URI carries. */
export interface MediaData {
  /** Such as `image/png`; empty where the URI does not say. */
  readonly type: string;
  readonly base64: string;
}

/** Names of audio formats where they are not what stands behind `audio/`. */
const AUDIO_FORMATS: Readonly<Record<string, string>> = {
  "mpeg": "mp3",
  "x-wav": "wav",
  "wave": "wav",
  "vnd.wave": "wav",
  "x-flac": "flac",
  "mp4": "m4a",
  "x-m4a": "m4a",
};

/** What a data URI in base64 carries; undefined for any other URL. */
export function mediaData(url: string): MediaData | undefined {
  const [, type, base64] = /^data:([^;,]*)[^,]*;base64,(.*)$/s.exec(url) ?? [];
  return base64 === undefined ? undefined : { type: (type ?? "").toLowerCase(), base64 };
}

/** A content part of OpenAI's with a recording; one on the web goes by its URL, which vLLM takes. */
export function audioPart(url: string): Record<string, unknown> {
  const data = mediaData(url);
  if (data === undefined) return { "type": "audio_url", "audio_url": { "url": url } };
  const audio = { "data": data.base64, "format": formatOf(data) };
  return { "type": "input_audio", "input_audio": audio };
}

/** The usual ending of files of a media type, which is also the name of the format: `wav`, `jpeg`. */
export function formatOf({ type }: MediaData): string {
  const [kind, name = ""] = type.split("/");
  const bare = name.replace(/\+.*$/, "");
  return (kind === "audio" ? AUDIO_FORMATS[bare] : undefined) ?? bare;
}
