import type { Command } from "npm:commander@15.1.0";
import type { Completes, OptionTable } from "../../config/options/option.ts";
import type { WarmThreads } from "../../run/runner/run_hooks.ts";

/** A command of the executable: one row for what it is called, says and does. */
export interface CliCommand {
  readonly name: string;
  /** Operands after the command's name, in commander's notation. */
  readonly operands?: string;
  /** Completions of the operands: files, folders, or words, which may depend on the words before. */
  readonly completes?:
    | Completes
    | ((before: readonly string[]) => Promise<readonly string[] | Completes>);
  readonly description: string;
  /** Whether the program's help only names it. @default false */
  readonly isRare?: true;
  /** A rule that belongs to no option, shown by its help. */
  readonly rule?: string;
  /** A rule that only `--help all` shows, for a command with many options. */
  readonly details?: string;
  readonly table?: OptionTable;
  /** Whether the words after the first operand are another program's, options included. @default false */
  readonly takesForeignOptions?: true;
  /** Options that it takes for another command, whose help explains them. */
  readonly handsOn?: OptionTable;
  /** Command lines, shown by its help. */
  readonly examples?: readonly string[];
  /**
   * Runs it.
   * @param command with its options and operands
   * @param args all arguments, for the files
   * @param warm threads that commands before it have left
   * @returns the exit code
   */
  run(command: Command, args: readonly string[], warm: WarmThreads): Promise<number>;
}
