import type {
  EndpointType,
  PromptContent,
} from "../../../client/endpoint/protocol/endpoint_type.ts";
import type { DatasetPlan, RunPlan } from "../../../config/plan/run_plan.ts";
import type { PromptsPlan } from "../../../config/plan/prompts_plan.ts";
import type { RankingsPlan } from "../../../config/plan/media_plan.ts";
import type { Conversation, ConversationTurn } from "../conversations/conversation.ts";
import { drawLengths } from "./draw_lengths.ts";
import type { PromptSource } from "../corpus/prompt_source.ts";
import type { PromptSurroundings } from "./prompt_surroundings.ts";
import { SyntheticMedia } from "../media/synthetic_media.ts";
import type { SyntheticPrompts, TextPiece } from "./synthetic_prompts.ts";
import type { Expected } from "../../../measurement/answers/expected/expected.ts";
import type { VerifyTasks } from "./verify_tasks.ts";
import type { SyntheticTurns } from "./synthetic_turns.ts";
import { tokenLength } from "./token_lengths.ts";

/** Parts from which synthetic requests are generated. */
export interface SyntheticParts {
  readonly prompts: PromptsPlan;
  readonly source: PromptSource;
  readonly around: PromptSurroundings;
  readonly maker: SyntheticPrompts;
  readonly turns: SyntheticTurns;
  /** Creates prompts with known answers; undefined for prose. */
  readonly tasks: VerifyTasks | undefined;
}

/** Texts of a request. */
interface DrawnTexts {
  readonly texts: readonly string[];
  /** Message before the request's own; undefined for none. */
  readonly context: string | undefined;
  /** All tokens of them; undefined to count them. */
  readonly tokens: number | undefined;
  /** The salts in them, in their order. */
  readonly salts: readonly string[];
  /** Answer that is expected; absent for none. */
  readonly expected?: Expected;
}

/**
 * Synthetic requests whose bodies share nothing: those with images, recordings, passages or tasks, and
 * those that are no JSON.
 * @param requests their number, warm-up's among them, which come last
 */
export async function* syntheticConversations(
  plan: Pick<RunPlan, "seed" | "cacheBust">,
  dataset: Extract<DatasetPlan, { source: "synthetic" }>,
  type: EndpointType,
  parts: SyntheticParts,
  requests: { readonly count: number; readonly warmupCount: number },
): AsyncGenerator<Conversation> {
  const { turns: drawnTurns, prompts, around } = parts;
  const media = new SyntheticMedia(prompts, plan.seed);
  let turns: ConversationTurn[] = [];
  for (let index = 0; index < requests.count; index++) {
    const { isFirst, delayNs } = drawnTurns.of(index);
    if (isFirst && turns.length > 0) {
      yield { id: undefined, turns };
      turns = [];
    }
    const { inputTokens, outputTokens } = drawLengths(dataset, plan.seed, index);
    const isWarmup = index >= requests.count - requests.warmupCount;
    const { texts, context, tokens, salts, expected } = prompts.rankings !== undefined
      ? rankedTexts(prompts.rankings, parts, plan.seed, index, isWarmup)
      : parts.tasks !== undefined
      ? taskTexts(parts, parts.tasks, inputTokens, index, isFirst, isWarmup)
      : type.tokenizesInput
      ? drawnTexts(parts, inputTokens, index, isFirst, isWarmup)
      : NO_TEXTS;
    const content: PromptContent = {
      texts,
      images: await media.images(index),
      audios: media.recordings(index),
      outputTokens,
      extra: {},
    };
    const system = isFirst ? around.system : undefined;
    turns.push({
      request: requestOf(type, content, system, context, {
        // A marker is put in later, and counted then.
        inputTokens: plan.cacheBust === undefined ? tokens : undefined,
      }),
      delayMs: delayNs / 1e6,
      timestampMs: undefined,
      followsHistory: !isFirst,
      ...(salts.length === 0 ? {} : { salts }),
      ...(expected === undefined ? {} : { expected }),
    });
  }
  if (turns.length > 0) yield { id: undefined, turns };
}

const NO_TEXTS: DrawnTexts = { texts: [], context: undefined, tokens: 0, salts: [] };

/** A task, behind the salt that makes it new to prefix caches. */
function taskTexts(
  { maker }: SyntheticParts,
  tasks: VerifyTasks,
  inputTokens: number,
  index: number,
  isFirst: boolean,
  isWarmup: boolean,
): DrawnTexts {
  const salt = maker.salt(isFirst, isWarmup);
  const { text, expected } = tasks.task(index, inputTokens - (salt?.tokens ?? 0));
  return {
    texts: [salt === undefined ? text : `${salt.salt}\n\n${text}`],
    salts: salt === undefined ? [] : [salt.salt],
    context: undefined,
    tokens: undefined,
    expected,
  };
}

function drawnTexts(
  { maker, source, prompts }: SyntheticParts,
  inputTokens: number,
  index: number,
  isFirst: boolean,
  isWarmup: boolean,
): DrawnTexts {
  const { slots, tokens } = maker.next(inputTokens, index, isFirst, isWarmup);
  const texts = slots.map((pieces) => textOf(source, pieces));
  const salts = slots.flatMap(saltsOf);
  const hasContext = isFirst && prompts.userContextTokens !== undefined;
  return hasContext
    ? { texts: texts.slice(1), context: texts[0], tokens, salts }
    : { texts, context: undefined, tokens, salts };
}

/** A query, and passages. Servers put the query first, so its salt is new to their caches. */
function rankedTexts(
  { passages, passageLength, queryLength }: RankingsPlan,
  { source, maker }: SyntheticParts,
  seed: number,
  index: number,
  isWarmup: boolean,
): DrawnTexts {
  const count = tokenLength(passages.mean, passages.stddev, seed, "dataset.passages", index);
  maker.beginRequest(isWarmup);
  const query = maker.saltedText(
    tokenLength(queryLength.mean, queryLength.stddev, seed, "dataset.query", index),
  ).pieces;
  const texts = [query];
  for (let place = 0; place < count; place++) {
    const { mean, stddev } = passageLength;
    const name = `dataset.passage.${index}`;
    texts.push([source.next(tokenLength(mean, stddev, seed, name, place))]);
  }
  return {
    texts: texts.map((pieces) => textOf(source, pieces)),
    salts: saltsOf(query),
    context: undefined,
    // Of several texts it is those of all of them with blanks between.
    tokens: undefined,
  };
}

function textOf({ corpus }: PromptSource, pieces: readonly TextPiece[]): string {
  return pieces.map((piece) =>
    "salt" in piece ? piece.salt : corpus.textOf(piece.offset, piece.length)
  ).join("");
}

function saltsOf(pieces: readonly TextPiece[]): string[] {
  return pieces.flatMap((piece) => "salt" in piece ? [piece.salt] : []);
}

function requestOf(
  { conversation }: EndpointType,
  content: PromptContent,
  system: string | undefined,
  context: string | undefined,
  { inputTokens }: { readonly inputTokens: number | undefined },
): ConversationTurn["request"] {
  const known = inputTokens === undefined ? {} : { inputTokens };
  if (context === undefined || conversation === undefined) {
    return {
      kind: "content",
      content,
      ...(system === undefined ? {} : { system }),
      ...(system === undefined ? known : {}),
    };
  }
  const { systemMessage, userMessage } = conversation;
  return {
    kind: "messages",
    messages: [
      ...(system === undefined ? [] : [systemMessage(system)]),
      userMessage({ texts: [context], images: [] }),
      userMessage(content),
    ],
    outputTokens: content.outputTokens,
    extra: {},
  };
}
