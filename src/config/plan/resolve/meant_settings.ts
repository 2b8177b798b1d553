import { endpointType } from "../../../client/endpoint/endpoint_types.ts";
import type { EndpointType } from "../../../client/endpoint/protocol/endpoint_type.ts";
import { flagOf } from "../../options/option.ts";
import { PROFILE_OPTIONS, type ProfileSettings } from "../../options/profile/profile_options.ts";
import type { ProfileOptions } from "../../options/profile/profile_types.ts";
import { withPrefixHitRate } from "../prompts/prefix_hit_rate.ts";
import { resolveOptions } from "../../options/resolve_options.ts";
import { typeOfUrls } from "../servers/full_url.ts";
import { MESSAGE_OPTIONS } from "../prompts/resolve_prompts.ts";

/** Settings without those that mean nothing, and what these were. */
export interface MeantSettings {
  readonly settings: ProfileSettings;
  /** A sentence for each that was left out. */
  readonly notices: readonly string[];
}

/**
 * Leaves out what needs messages, or several turns, where the API has neither and replies are no
 * text: there they could mean nothing. An API of prompts and texts is measured otherwise with them,
 * and refuses them. If no endpoint type is named, full URLs imply it.
 * @throws {UsageError} if a value is wrong
 */
export function meantSettings(options: ProfileOptions): MeantSettings {
  const resolved = resolveOptions(PROFILE_OPTIONS, options);
  const isOpen = options.endpointType === undefined && options.customEndpoint === undefined;
  const ending = isOpen ? typeOfUrls(resolved.url) : undefined;
  if (ending === undefined) return withoutMeaningless(resolved);
  const [{ name }, ...others] = ending.types;
  const { settings, notices } = withoutMeaningless({ ...resolved, endpointType: name });
  if (others.length === 0) return { settings, notices };
  const names = others.map(({ name }) => name).join(" or ");
  return {
    settings,
    notices: [
      `endpoint type ${name}, because --url ends in ${ending.path}; for ${names}, set ` +
      "--endpoint-type",
      ...notices,
    ],
  };
}

function withoutMeaningless(given: ProfileSettings): MeantSettings {
  const settings = withPrefixHitRate(given);
  const type = typeNamed(settings.endpointType);
  if (type === undefined || type.producesTokens || type.conversation !== undefined) {
    return { settings, notices: [] };
  }
  const notices: string[] = [];
  const noted = (name: string, what: string): void => {
    notices.push(`${flagOf(name)} has no effect: endpoint type ${type.name} ${what}`);
  };
  const changed: Record<string, unknown> = {};
  for (const name of MESSAGE_OPTIONS) {
    const value = settings[name];
    if (value === undefined || value === false || value === "none") continue;
    noted(name, "takes no messages");
    changed[name] = typeof value === "boolean" ? false : name === "cacheBust" ? "none" : undefined;
  }
  const { sessionTurnsMean, sessionTurnsStddev } = settings;
  if (sessionTurnsMean > 1 || sessionTurnsStddev > 0) {
    noted("sessionTurnsMean", "takes one prompt at a time");
    changed["sessionTurnsMean"] = 1;
    changed["sessionTurnsStddev"] = 0;
  }
  return { settings: { ...settings, ...changed }, notices };
}

function typeNamed(name: string): EndpointType | undefined {
  try {
    return endpointType(name);
  } catch {
    // What it is instead is told where the type is resolved.
    return undefined;
  }
}
