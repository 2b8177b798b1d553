import type { Conversation } from "../conversations/conversation.ts";
import { DatasetError } from "../../../core/files/dataset_error.ts";

/** Error for a row that may continue a conversation which has already been sent. */
const LATE_SESSION =
  "session_id: rows of one session may lie anywhere in the file, which is sent while it is read: " +
  "leave session_id out, or use --custom-dataset-type multi-turn";

/**
 * Puts conversations of one name together: the turns of those that come later follow the turns of
 * the first, which keeps its place. Those without a name stay by themselves and are given on at
 * once as long as no name has been seen; after that the whole file has to be read.
 * @throws {DatasetError} if that is not possible, because it is sent while it is read
 */
export async function* groupedTurns(
  conversations: AsyncIterable<Conversation>,
  { path, isPaged }: { readonly path: string; readonly isPaged: boolean },
): AsyncGenerator<Conversation> {
  const named = new Map<string, { id: string; turns: Conversation["turns"][number][] }>();
  const kept: Conversation[] = [];
  for await (const conversation of conversations) {
    const { id, turns } = conversation;
    if (id === undefined) {
      if (named.size === 0) yield conversation;
      else kept.push(conversation);
      continue;
    }
    if (isPaged) throw new DatasetError(path, undefined, LATE_SESSION);
    const known = named.get(id);
    if (known !== undefined) {
      known.turns.push(...turns);
      continue;
    }
    const group = { id, turns: [...turns] };
    named.set(id, group);
    kept.push(group);
  }
  yield* kept;
}
