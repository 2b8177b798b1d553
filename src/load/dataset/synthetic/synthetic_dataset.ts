import { constraintText } from "../../../client/endpoint/constraint/constraint_of.ts";
import type { BodyFields } from "../../../client/endpoint/protocol/body_format.ts";
import type { EndpointType } from "../../../client/endpoint/protocol/endpoint_type.ts";
import type { DatasetPlan, RunPlan } from "../../../config/plan/run_plan.ts";
import { type BodyFrame, BodyTemplate } from "../payloads/body_template.ts";
import type { InputTemplate } from "../conversations/input_template.ts";
import { conversationTable } from "../conversations/conversation_table.ts";
import { drawLengths } from "./draw_lengths.ts";
import { readEmbeddedFile } from "../../../core/files/embedded_file.ts";
import { LoadPause } from "../conversations/load_pause.ts";
import { NO_COUNT, type PayloadTable } from "../payloads/payload_table.ts";
import { PayloadTableBuilder, type Segment } from "../payloads/payload_table_builder.ts";
import { promptSource } from "../corpus/prompt_source.ts";
import { promptSurroundings } from "./prompt_surroundings.ts";
import { syntheticConversations } from "./synthetic_conversations.ts";
import { PromptSalts } from "./prompt_salts.ts";
import { VerifyTasks } from "./verify_tasks.ts";
import { type SyntheticPrompt, SyntheticPrompts, type TextPiece } from "./synthetic_prompts.ts";
import { drawTurns, ONE_TURN_EACH } from "./synthetic_turns.ts";
import type { Tokenizer } from "../tokenizers/tokenizer.ts";

/** Fields of a run's plan on which synthetic prompts depend. */
export type SyntheticPlan = Pick<
  RunPlan,
  "seed" | "models" | "body" | "turnDelays" | "systemPrompt" | "cacheBust"
>;

/**
 * Makes prompts of exact token lengths out of an embedded corpus.
 *
 * @param tokenizer counts the tokens; undefined for the builtin one, whose counts the corpus carries
 * @param interrupt ends it
 * @param chatTemplate with which the input tokens are counted; prompts are shorter by it
 */
export async function syntheticDataset(
  plan: SyntheticPlan,
  dataset: Extract<DatasetPlan, { source: "synthetic" }>,
  type: EndpointType,
  tokenizer: Tokenizer | undefined,
  interrupt: AbortSignal = new AbortController().signal,
  chatTemplate?: InputTemplate,
): Promise<PayloadTable> {
  const { seed, cacheBust } = plan;
  const { prompts = {} } = dataset;
  const pause = new LoadPause(interrupt);
  const source = await promptSource(prompts.corpus ?? "sonnet", seed, tokenizer);
  const counting = tokenizer ??
    (plan.systemPrompt === undefined && cacheBust === undefined ? undefined : await builtin());
  const around = promptSurroundings(
    plan,
    prompts,
    source,
    counting,
    chatTemplate?.isForAll ? chatTemplate.template : undefined,
  );
  const salts = PromptSalts.of(dataset.salt, source.corpus, tokenizer);
  const maker = new SyntheticPrompts(prompts, seed, source, around, salts);
  const turns = dataset.turns === undefined
    ? ONE_TURN_EACH
    : drawTurns(plan, dataset, dataset.turns);
  const hasTurns = dataset.turns !== undefined;
  const entries = hasTurns ? turns.count : dataset.entries + dataset.warmupEntries;
  const warmupEntries = hasTurns ? turns.warmupCount : dataset.warmupEntries;
  const { images, recordings, rankings, tasks } = prompts;
  const hasOwnBodies = (images ?? recordings ?? rankings ?? tasks) !== undefined ||
    !type.body.isJson ||
    !type.tokenizesInput || plan.body.extraInputs["tools"] !== undefined;
  if (hasOwnBodies) {
    const own = counting ?? await builtin();
    return await conversationTable(
      syntheticConversations(
        plan,
        dataset,
        type,
        {
          ...{ prompts, source, around, maker, turns },
          tasks: tasks && new VerifyTasks(tasks, seed, own),
        },
        { count: entries, warmupCount: warmupEntries },
      ),
      plan,
      type,
      own,
      {
        ...{ path: "Synthetic prompts", interrupt, chatTemplate, warmupTurns: warmupEntries },
        ...(salts === undefined
          ? {}
          : { salting: { salts: salts.columns, perBody: maker.saltsPerBody } }),
      },
    );
  }
  const drawn: DrawnPrompt[] = [];
  for (let index = 0; index < entries; index++) {
    if (pause.isDue) await pause.take();
    const { isFirst, delayNs } = turns.of(index);
    const { inputTokens, outputTokens } = drawLengths(dataset, seed, index);
    const isWarmup = index >= entries - warmupEntries;
    drawn.push({ ...maker.next(inputTokens, index, isFirst, isWarmup), outputTokens, delayNs });
  }
  const builder = await framedBodies(drawn, plan, type, source.corpus.text, {
    ...{ maker, hasTurns, pause },
  });
  const overhead = around.template.reply;
  return builder.finish(warmupEntries, {
    cacheBust: cacheBust === undefined ? undefined : { target: cacheBust, seed },
    replyOverheadTokens: overhead === 0 ? undefined : overhead,
    salts: salts?.columns,
  });
}

/** A prompt whose text is known by its places in the corpus. */
interface DrawnPrompt extends SyntheticPrompt {
  readonly outputTokens: number | undefined;
  readonly delayNs: number;
}

/** Puts prompts into bodies whose other parts are alike, and so are kept once. */
async function framedBodies(
  drawn: readonly DrawnPrompt[],
  { models, body: settings, cacheBust }: SyntheticPlan,
  type: EndpointType,
  corpus: Uint8Array,
  { maker, hasTurns, pause }: {
    readonly maker: SyntheticPrompts;
    /** Whether prompts are turns of conversations. */
    readonly hasTurns: boolean;
    readonly pause: LoadPause;
  },
): Promise<PayloadTableBuilder> {
  const rounds = Math.max(1, Math.ceil(maker.arenaEnd / corpus.length));
  const builder = new PayloadTableBuilder(rounds * corpus.length + 65_536, maker.segmentsPerBody);
  for (let round = 0; round < rounds; round++) builder.addSegment(corpus);
  const { first: firstShape, later: laterShape } = maker.shapes;
  const templates = models.map((model) => {
    const first = new BodyTemplate(type, { ...settings, model }, builder, firstShape);
    return {
      first,
      later: maker.isSame
        ? first
        : new BodyTemplate(type, { ...settings, model }, builder, laterShape),
    };
  });
  let markerAt = -1;
  const fields = emptyBody(type, settings, firstShape.texts);
  const choices = type.askedChoices?.(fields) ?? 1;
  const constraint = type.producesTokens ? constraintText(fields) : undefined;
  for (const { slots, tokens, isFirst, outputTokens, delayNs } of drawn) {
    if (pause.isDue) await pause.take();
    const frames = templates.map(({ first, later }) =>
      (isFirst ? first : later).frame(outputTokens)
    );
    const [frame] = frames;
    if (frame === undefined) throw new RangeError("There is no model");
    const texts = slots.map((pieces) => pieces.map((piece) => segmentOf(piece, builder)));
    const [body = [], ...others] = frames.map(({ parts }) => filled(parts, texts));
    const counts = {
      ...{ inputTokens: tokens, outputTokens: outputTokens ?? NO_COUNT, images: 0, choices },
    };
    if (hasTurns) {
      if (isFirst) builder.beginConversation();
      builder.addTurn(body, counts, {
        ...{ delayNs, timestampNs: NaN, followsHistory: true },
        messages: messagesIn(frame, body),
      }, others);
    } else {
      builder.addEntry(body, counts, undefined, others);
    }
    if (constraint !== undefined) builder.setText("constraints", constraint);
    if (cacheBust === undefined) continue;
    // Later turns carry the first one's messages before their own, at the same place.
    if (isFirst) markerAt = maker.markerAt(frame, slots);
    builder.setMarker(markerAt);
  }
  return builder;
}

/** Where the messages of a body lie in it; undefined if it has none. */
function messagesIn({ parts, messages }: BodyFrame, body: readonly Segment[]) {
  const last = parts.at(-1)?.length ?? 0;
  return messages && {
    start: messages.start,
    end: body.reduce((sum, { length }) => sum + length, 0) - last + messages.endAfter,
  };
}

/** The fields of a body without texts; bodies differ only in these. */
function emptyBody(type: EndpointType, body: SyntheticPlan["body"], texts: number): BodyFields {
  const content = {
    texts: Array.from({ length: texts }, () => ""),
    images: [],
    outputTokens: undefined,
    extra: {},
  };
  return type.buildBody(content, { ...body, model: "" });
}

/** The segments of a body: its parts, with the texts of a slot between each two. */
function filled(parts: readonly Segment[], slots: readonly (readonly Segment[])[]): Segment[] {
  return parts.flatMap((part, place) => [part, ...slots[place] ?? []]);
}

function segmentOf(piece: TextPiece, builder: PayloadTableBuilder): Segment {
  return "salt" in piece ? builder.addSalt(piece.salt) : piece;
}

async function builtin(): Promise<Tokenizer> {
  const { BuiltinTokenizer, VOCABULARY_URL } = await import("../tokenizers/builtin_tokenizer.ts");
  return new BuiltinTokenizer(await readEmbeddedFile(VOCABULARY_URL));
}
