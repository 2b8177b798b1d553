/** Images and audio that a data URI carries in itself. */

/** Content of a data URI. */
export interface MediaData {
  /** Media type such as `image/png`; empty if the URI has none. */
  readonly type: string;
  readonly base64: string;
}

/** Names of audio formats that differ from the part after `audio/`. */
const AUDIO_FORMATS: Readonly<Record<string, string>> = {
  "mpeg": "mp3",
  "x-wav": "wav",
  "wave": "wav",
  "vnd.wave": "wav",
  "x-flac": "flac",
  "mp4": "m4a",
  "x-m4a": "m4a",
};

/** Returns the content of a data URI in base64; undefined for any other URL. */
export function mediaData(url: string): MediaData | undefined {
  const [, type, base64] = /^data:([^;,]*)[^,]*;base64,(.*)$/s.exec(url) ?? [];
  return base64 === undefined ? undefined : { type: (type ?? "").toLowerCase(), base64 };
}

/**
 * Returns a content part of OpenAI's API with a recording. A recording on the web is sent as its
 * URL, which vLLM supports.
 */
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
