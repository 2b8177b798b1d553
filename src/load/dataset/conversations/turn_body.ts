import type { BodyFields } from "../../../client/endpoint/protocol/body_format.ts";
import type {
  BodySettings,
  EndpointType,
} from "../../../client/endpoint/protocol/endpoint_type.ts";
import type { ConversationTurn } from "./conversation.ts";

/** A request as it is put into the table. */
export interface TurnBody {
  /** Bytes of the body for each model. */
  readonly bytes: readonly Uint8Array[];
  /** undefined for bytes that cannot be read. */
  readonly fields: BodyFields | undefined;
  /** Whether its messages can be carried by later turns, and carry earlier ones. */
  readonly isOpen: boolean;
}

/** Throws an error that describes what is wrong with a turn. */
export type Refuse = (message: string) => never;

/** Returns the body of a turn for each model; ready bodies stay as they are. */
export function turnBody(
  turn: Pick<ConversationTurn, "request">,
  type: EndpointType,
  settings: readonly BodySettings[],
  refuse: Refuse,
): TurnBody {
  const { request } = turn;
  switch (request.kind) {
    case "body": {
      const bytes = type.body.encode(request.body);
      return { bytes: settings.map(() => bytes), fields: request.body, isOpen: false };
    }
    case "bytes": {
      const { bytes } = request;
      return { bytes: settings.map(() => bytes), fields: type.body.decode(bytes), isOpen: false };
    }
    default: {
      const bodies = settings.map((one) => openFields(request, type, one, refuse));
      const bytes = bodies.map((body) => type.body.encode(body));
      return { bytes, fields: bodies[0], isOpen: true };
    }
  }
}

/** Returns the fields of a body that is built from a content or from messages. */
export function openFields(
  request: Extract<ConversationTurn["request"], { kind: "content" | "messages" }>,
  type: EndpointType,
  settings: BodySettings,
  refuse: Refuse,
): BodyFields {
  const { conversation } = type;
  if (request.kind === "messages") {
    if (conversation === undefined) refuse(`Endpoint type ${type.name} takes no messages`);
    return conversation.buildBody(request.messages, request, settings);
  }
  const { content, system } = request;
  if (system === undefined) return type.buildBody(content, settings);
  if (conversation === undefined) {
    return refuse(`Endpoint type ${type.name} takes no system message`);
  }
  const { systemMessage, userMessage } = conversation;
  const messages = [systemMessage(system), userMessage(content)];
  return conversation.buildBody(messages, content, settings);
}
