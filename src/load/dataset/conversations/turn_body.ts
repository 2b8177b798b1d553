import type { BodyFields } from "../../../client/endpoint/protocol/body_format.ts";
import type { Message } from "../../../client/endpoint/protocol/conversation_format.ts";
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
  { request }: ConversationTurn,
  type: EndpointType,
  settings: readonly BodySettings[],
  refuse: Refuse,
): TurnBody {
  const { conversation } = type;
  const made = (build: (settings: BodySettings) => BodyFields): TurnBody => {
    const bodies = settings.map(build);
    return { bytes: bodies.map((body) => type.body.encode(body)), fields: bodies[0], isOpen: true };
  };
  const ofMessages = (messages: readonly Message[], turn: Parameters<typeof build>[1]): TurnBody =>
    made((settings) => build(messages, turn, settings));
  const build: NonNullable<EndpointType["conversation"]>["buildBody"] = (...given) =>
    conversation?.buildBody(...given) ?? refuse(`Endpoint type ${type.name} takes no messages`);
  switch (request.kind) {
    case "content": {
      const { content, system } = request;
      if (system === undefined) return made((settings) => type.buildBody(content, settings));
      if (conversation === undefined) {
        return refuse(`Endpoint type ${type.name} takes no system message`);
      }
      const { systemMessage, userMessage } = conversation;
      return ofMessages([systemMessage(system), userMessage(content)], content);
    }
    case "messages":
      return ofMessages(request.messages, request);
    case "body": {
      const bytes = type.body.encode(request.body);
      return { bytes: settings.map(() => bytes), fields: request.body, isOpen: false };
    }
    case "bytes": {
      const { bytes } = request;
      return { bytes: settings.map(() => bytes), fields: type.body.decode(bytes), isOpen: false };
    }
  }
}
