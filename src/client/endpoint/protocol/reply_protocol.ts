import type { ErrorKind } from "../../record/error_kind.ts";
import type { Delta } from "./delta.ts";
import type { Usage } from "./usage.ts";

/** The reason why a reply is not valid. */
export interface ReplyError {
  readonly kind: ErrorKind;
  readonly message: string;
}

/**
 * Meaning of an event's name, whatever its data: the reply failed, the reply is over, or the event
 * is ignored.
 */
export type EventMeaning = "error" | "end" | "ignored";

/** State of a finished reply of status 2xx that reported no failure. */
export interface ReplyEnding {
  /** Whether the body was one piece, not a stream of events or lines. */
  readonly isWhole: boolean;
  /** Whether the body was complete by its framing. */
  readonly isComplete: boolean;
  /** Whether a mark, an event, or a field of one said that the reply is over. */
  readonly endSeen: boolean;
  readonly finishReason: string | null;
  /** Token counts that the server reported; missing where it reported none. */
  readonly usage?: Usage | undefined;
  /** Events, lines or bodies with content. */
  readonly chunkCount: number;
  /** Endings of the choices, if the reply has several or several were requested. */
  readonly choices?: ChoiceEndings;
}

/** How the choices of a reply ended. */
export interface ChoiceEndings {
  readonly asked: number;
  /** Choices that arrived. */
  readonly seen: readonly ChoiceEnding[];
}

/** How a choice ended. */
interface ChoiceEnding {
  readonly index: number;
  readonly hasContent: boolean;
  readonly finishReason: string | null;
}

/** How the replies of an endpoint type are read, what ends them, and which are valid. */
export interface ReplyProtocol {
  /** Data of an event that is no JSON and says that the reply is over. */
  readonly endMark?: string;
  /** Events whose meaning depends only on their name; all others are read by their data. */
  readonly eventMeanings: ReadonlyMap<string, EventMeaning>;
  /**
   * Reads a JSON object: the data of an event, a line, or a whole body.
   * @param delta contributes nothing yet
   * @param eventName empty where there is none
   */
  readDelta(json: Record<string, unknown>, delta: Delta, eventName: string): void;
  /**
   * Whether an object is the first of several lines, in a body whose content type does not say that
   * it has lines.
   */
  beginsLines?(json: Readonly<Record<string, unknown>>): boolean;
  /** Reads a whole body that is a JSON list; without this such a body is malformed. */
  readList?(items: readonly unknown[], delta: Delta): void;
  /**
   * Reads a whole body that is no JSON by its content type; without this such a body is
   * refused.
   */
  readBytes?(body: Uint8Array, contentType: string, delta: Delta): void;
  /**
   * For replies whose events build on earlier ones: a protocol that remembers nothing, for one
   * reply. Without it every event must mean the same wherever it stands.
   */
  forOneReply?(): ReplyProtocol;
  /** Returns the error of a reply; undefined for a valid one. */
  judge(ending: ReplyEnding): ReplyError | undefined;
  /**
   * Returns the next request of a job after a valid reply that reports unfinished work; undefined
   * for a reply with the results. A protocol with this method serves one reply.
   */
  next?(): NextRequest | undefined;
}

/** A GET request for the state of a job. */
export interface NextRequest {
  /** Path appended to that of the first request. */
  readonly subpath: string;
  readonly afterMs: number;
}

/**
 * The rule of streams that end with `[DONE]`, or with a finish reason and their body. Where there
 * are several choices, each must be there, have ended, and have content.
 */
export function judgeFinish(ending: ReplyEnding): ReplyError | undefined {
  const { endSeen, isComplete, isWhole, finishReason, choices } = ending;
  const isFinished = finishReason !== null || choices?.seen.some(hasFinished);
  const isOrderly = endSeen || (isComplete && (isWhole || isFinished === true));
  return judgeEnding(ending, isOrderly, "[DONE] or a finish reason") ??
    (choices && judgeChoices(choices, isWhole, ending.usage));
}

/** Returns the error of a complete reply in which choices are missing or incomplete. */
export function judgeChoices(
  { asked, seen }: ChoiceEndings,
  isWhole: boolean,
  usage?: Usage,
): ReplyError | undefined {
  if (seen.length < asked) {
    return {
      kind: "truncated",
      message: `Reply has ${seen.length} of the ${asked} choices asked for`,
    };
  }
  const open = isWhole ? undefined : seen.find((choice) => !hasFinished(choice));
  // Servers that give no finish reasons at all are held to [DONE] alone.
  if (open !== undefined && seen.some(hasFinished)) {
    return { kind: "truncated", message: `Choice ${open.index} ended without a finish reason` };
  }
  const empty = seen.find(({ hasContent }) => !hasContent);
  return empty && {
    kind: "no_content",
    message: `Choice ${empty.index} has no content${whyEmpty(empty.finishReason, usage)}`,
  };
}

/** Tokens that the server counted for a reply without content, and the finish reason. */
function whyEmpty(finishReason: string | null, usage: Usage | undefined): string {
  const { completionTokens, reasoningTokens } = usage ?? {};
  const counted = completionTokens === undefined
    ? "usage has no completion tokens"
    : `usage counts ${completionTokens} completion tokens` +
      (reasoningTokens === undefined ? "" : `, ${reasoningTokens} of them reasoning`);
  return `: ${counted}; finish reason ${finishReason ?? "missing"}`;
}

function hasFinished({ finishReason }: ChoiceEnding): boolean {
  return finishReason !== null;
}

/**
 * Validates a reply as most endpoint types do: it must be complete and have content.
 * @param isOrderly whether the reply was complete
 * @param wantedEnd the end of a stream of this type, as text for messages
 */
export function judgeEnding(
  { isComplete, chunkCount, finishReason, usage }: ReplyEnding,
  isOrderly: boolean,
  wantedEnd: string,
): ReplyError | undefined {
  if (!isOrderly) {
    return {
      kind: "truncated",
      message: isComplete ? `Stream ended without ${wantedEnd}` : "Reply stopped before its end",
    };
  }
  if (chunkCount === 0) {
    const message = `Reply is complete but has no content${whyEmpty(finishReason, usage)}`;
    return { kind: "no_content", message };
  }
  return undefined;
}
