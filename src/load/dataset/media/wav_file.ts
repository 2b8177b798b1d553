const encoder = new TextEncoder();
const HEAD_BYTES = 44;
/** Samples that are whole numbers. */
const PCM = 1;

/** How sound is sampled. */
export interface WavFormat {
  /** Samples of a channel in a second. */
  readonly sampleRate: number;
  /** Bits of a sample. */
  readonly depth: number;
  readonly channels: number;
}

/** A WAV file with these samples, those of the channels in turn. */
export function wavFile(
  samples: Uint8Array,
  { sampleRate, depth, channels }: WavFormat,
): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(HEAD_BYTES + samples.length);
  const view = new DataView(bytes.buffer);
  const bytesPerFrame = channels * depth / 8;
  const name = (at: number, text: string) => bytes.set(encoder.encode(text), at);
  name(0, "RIFF");
  view.setUint32(4, bytes.length - 8, true);
  name(8, "WAVEfmt ");
  view.setUint32(16, 16, true);
  view.setUint16(20, PCM, true);
  view.setUint16(22, channels, true);
  view.setUint32(24, sampleRate, true);
  view.setUint32(28, sampleRate * bytesPerFrame, true);
  view.setUint16(32, bytesPerFrame, true);
  view.setUint16(34, depth, true);
  name(36, "data");
  view.setUint32(40, samples.length, true);
  bytes.set(samples, HEAD_BYTES);
  return bytes;
}
