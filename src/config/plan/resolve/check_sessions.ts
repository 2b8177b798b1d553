import { CONVERSATION_TYPES } from "../../../client/endpoint/endpoint_types.ts";
import type { EndpointType } from "../../../client/endpoint/protocol/endpoint_type.ts";
import type { ProfileSettings } from "../../options/profile/profile_options.ts";
import { UsageError } from "../../options/usage_error.ts";
import { headerNameProblem } from "../servers/request_header.ts";
import { hasTurns } from "../load/resolve_phases.ts";

/**
 * Checks what sessions of several turns need of the other options.
 * @throws {UsageError} naming the option that cannot be used
 */
export function checkSessions(settings: ProfileSettings, type: EndpointType): void {
  const { sessionHeader } = settings;
  const problem = sessionHeader === undefined ? undefined : headerNameProblem(sessionHeader);
  if (problem !== undefined) throw new UsageError("--session-header", problem);
  if (!hasTurns(settings)) return;
  if (type.conversation === undefined) {
    throw new UsageError(
      "--session-turns-mean",
      `Endpoint type ${type.name} takes one prompt at a time: several turns need --endpoint-type ` +
        CONVERSATION_TYPES,
    );
  }
  if (
    settings.connectionReuseStrategy === "sticky-user-sessions" && settings.transport === "fetch"
  ) {
    throw new UsageError(
      "--connection-reuse-strategy",
      "sticky-user-sessions requires --transport socket: fetch does not report its connections",
    );
  }
}
