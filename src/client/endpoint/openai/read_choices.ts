import { type Delta, emptyDelta, isFields } from "../protocol/delta.ts";

type Fields = Record<string, unknown>;

/** Most choices of a request: more than any server gives. */
const MAX_CHOICES = 1024;

/**
 * Reads the choices of an object, each into what is its own: choice 0 into the delta itself.
 * @param readChoice reads one; what it finds of usage and failures counts for the whole reply
 */
export function readChoices(
  choices: readonly unknown[],
  delta: Delta,
  readChoice: (choice: Fields, delta: Delta, index: number) => void,
): void {
  for (const [place, choice] of choices.entries()) {
    if (!isFields(choice)) continue;
    const index = choiceIndex(choice["index"], place);
    if (index === 0) {
      readChoice(choice, delta, index);
    } else if (index < MAX_CHOICES) {
      const other = emptyDelta();
      readChoice(choice, other, index);
      const { error, usage } = other;
      delta.others.push({ ...other, index });
      delta.error ??= error;
      delta.usage ??= usage;
    }
  }
}

/** Number of a choice; its place where the server gives none. */
function choiceIndex(value: unknown, place: number): number {
  return Number.isInteger(value) && (value as number) >= 0 ? value as number : place;
}

/** A number of choices that a body asks for with each of its prompts. */
export function choicesOf(value: unknown): number {
  return Number.isInteger(value) && (value as number) >= 1
    ? Math.min(value as number, MAX_CHOICES)
    : 1;
}
