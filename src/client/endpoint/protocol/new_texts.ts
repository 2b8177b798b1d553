/** Events in which a text grew until streams are known to repeat all of it. */
const GROWTHS = 2;
/**
 * Events with the same text until it is known to be a piece that comes again. Servers that repeat all
 * of the text send it unchanged while a character is not complete, which has 4 bytes at most.
 */
const REPEATS = 4;

/** What is known of a choice while it is not known what its events have. */
interface Choice {
  /** All that it has said, if its events repeat that. */
  told: string;
  /** What was taken for a repetition. */
  passedOver: string;
  growths: number;
  repeats: number;
}

/**
 * What the events of a stream add, in which each has all of the text so far, or the new piece alone.
 * Pieces may begin like the ones before: what was passed over as a repetition is told as soon as it
 * turns out to be none.
 * @returns what the text of the next event of a choice adds
 */
export function newTexts(): (text: string, choice: number) => string {
  const choices: Choice[] = [];
  let isGrowing: boolean | undefined;
  return (text, choice) => {
    if (text === "") return "";
    if (isGrowing === false) return released(choices[choice]) + text;
    const known = choices[choice] ??= { told: "", passedOver: "", growths: 0, repeats: 0 };
    const { told } = known;
    if (isGrowing === undefined && told !== "") {
      if (!text.startsWith(told)) {
        // A stop string may be cut off the end of what was said.
        isGrowing = told.startsWith(text) && known.growths > 0;
      } else if (text.length > told.length) {
        if (++known.growths === GROWTHS) isGrowing = true;
      } else if (known.growths === 0 && ++known.repeats === REPEATS) {
        isGrowing = false;
      }
      if (isGrowing === false) return released(known) + text;
      if (isGrowing === undefined) known.passedOver += told;
    }
    if (text.length <= told.length) return "";
    known.told = text;
    return text.slice(told.length);
  };
}

/** What was passed over, once. */
function released(choice: Choice | undefined): string {
  if (choice === undefined) return "";
  const { passedOver } = choice;
  choice.passedOver = "";
  return passedOver;
}
