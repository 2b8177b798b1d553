import type { Conversation } from "../conversation.ts";

/**
 * Puts conversations of one name together: the turns of those that come later follow the turns of
 * the first, which keeps its place. Those without a name stay by themselves and are given on at
 * once as long as no name has been seen; after that the whole file has to be read.
 */
export async function* groupedTurns(
  conversations: AsyncIterable<Conversation>,
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
