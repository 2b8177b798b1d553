/** Events in which a text grew until streams are known to repeat all of it. */
const GROWTHS = 2;
/**
 * Events with the same text until it is known to be a piece that comes again. Servers that repeat all
 * of the text send it unchanged while a character is not complete, which has 4 bytes at most.
 */
const REPEATS = 4;

/** State of a choice until it is clear whether its events are cumulative. */
interface Choice {
  /** All that it has said, if its events repeat that. */
  told: string;
  /** Text that was treated as a repetition. */
  passedOver: string;
  growths: number;
  repeats: number;
}

/**
 * Returns a function that gives the new text of a stream's events, which each contain either all of
 * the text so far or only the new piece. Pieces may begin like earlier ones: text skipped as a
 * repetition is returned as soon as it turns out to be new.
 * @returns function from the text of the next event of a choice to the text that it adds
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

/** Returns the skipped text, once. */
function released(choice: Choice | undefined): string {
  if (choice === undefined) return "";
  const { passedOver } = choice;
  choice.passedOver = "";
  return passedOver;
}
