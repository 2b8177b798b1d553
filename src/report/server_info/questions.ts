/** Paths at which servers report version or configuration; reading them changes nothing. */

import type { Question } from "../../telemetry/engines/engine.ts";
import { QUESTIONS as OF_ENGINES } from "../../telemetry/engines/engines.ts";

/** Models of a list that are named one by one. */
const MAX_MODELS = 16;

/** All paths; every server has some, and returns HTTP 404 for the others. */
export const QUESTIONS: readonly Question[] = [
  ...OF_ENGINES,
  { path: "/v1/models", prefix: "", pick: models },
];

function models({ data }: Readonly<Record<string, unknown>>): unknown {
  if (!Array.isArray(data)) return {};
  const entries = data.filter((model): model is Record<string, unknown> =>
    typeof model === "object" && model !== null
  );
  const [first] = entries;
  return {
    "models": entries.slice(0, MAX_MODELS).map(({ id }) => String(id)),
    ...(entries.length > MAX_MODELS ? { "model_count": entries.length } : {}),
    ...(typeof first?.["owned_by"] === "string" ? { "owned_by": first["owned_by"] } : {}),
    ...Object.fromEntries(
      entries.slice(0, MAX_MODELS).map((
        { id: _id, object: _object, owned_by: _owner, ...rest },
        at,
      ) => [entries.length === 1 ? "model" : `model_${at + 1}`, rest]),
    ),
  };
}
