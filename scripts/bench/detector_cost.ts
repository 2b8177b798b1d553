import process from "node:process";
import { FIELD, FIELD_COUNT } from "../../src/client/record/request_fields.ts";
import { Corpus } from "../../src/load/dataset/corpus/corpus.ts";
import { PromptSalts } from "../../src/load/dataset/synthetic/prompt_salts.ts";
import { ReplyDetectors } from "../../src/results/collect/reply_detectors.ts";

const REPLIES = 20_000;
/** Replies before the compiler knows the code. */
const FIRST = 2000;
/** Bytes of a token of English text. */
const TOKEN_BYTES = 4.6;

/**
 * CPU time of the detectors of anomalies for a reply of English text, in microseconds: other processes
 * hardly change it, as they change the CPU time of whole runs.
 */
export async function detectorMicroseconds(tokens: number): Promise<number> {
  const corpus = await Corpus.load();
  const detectors = new ReplyDetectors(PromptSalts.of(7, corpus, undefined)?.columns);
  const request = new Float64Array(FIELD_COUNT).fill(NaN);
  request[FIELD.phase] = 1;
  const length = Math.round(tokens * TOKEN_BYTES);
  let found = 0;
  const check = (reply: number): void => {
    request[FIELD.session] = reply;
    const start = reply * 977 % (corpus.text.length - length);
    found |= detectors.anomaliesOf(request, [[corpus.text.subarray(start, start + length)]]);
  };
  for (let reply = 0; reply < FIRST; reply++) check(reply);
  const before = process.cpuUsage();
  for (let reply = 0; reply < REPLIES; reply++) check(reply);
  const { user, system } = process.cpuUsage(before);
  if (found !== 0) throw new Error("The detectors found something in clean text");
  return (user + system) / REPLIES;
}
