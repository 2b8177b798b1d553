/** The page `docs/options.md`, made from the tables. */

import {
  defaultTextOf,
  flagOf,
  type OptionSpec,
  type OptionTable,
  placeholderOf,
  specsOf,
  variablesOf,
} from "../../src/config/options/option.ts";
import { OPTION_TABLES } from "../../src/config/options/commands/option_tables.ts";
import { valueText } from "../../src/config/options/value_text.ts";

const INTRODUCTION =
  `<!-- Made from the option tables by scripts/build_generated.ts, not by hand. -->

# Options

An option is set by its flag, by a variable of the environment, or, for \`inferometer profile\`, in
the YAML file that \`--config\` or \`INFEROMETER_CONFIG\` names. A flag wins over a variable, a
variable over the file.

\`\`\`yaml
# inferometer profile --config run.yaml
url: [node1:8000, node2:8000]
request-rate: 600/m
benchmark-duration: 2m
extra-inputs:
  ignore_eos: true
\`\`\`

- Flags may be written with \`_\` instead of \`-\`, and with \`=\` before the value.
- In the file, names may be written with \`-\`, with \`_\`, or in camel case; other spellings count
  as well. \`inferometer schema config.yaml\` prints its JSON Schema, for editors.
- A variable holds a list as lines; lists of words also take blanks and commas.
- A time is in seconds, or has a unit: \`500ms\`, \`90s\`, \`2m\`, \`1h\`. A rate is per second, or
  \`600/m\`, or \`inf\`. Numbers may have \`_\` between digits.
- Several models, servers or headers may be given with commas between, or by several flags.
- The letter case of choices does not matter, nor whether \`-\` or \`_\` joins their words.
- Of a library call, names are those of the flags in camel case: \`profile({ requestRate: 10 })\`.
`;

/** What stands in `docs/options.md`. */
export function optionsPage(): string {
  return [
    INTRODUCTION,
    ...[...OPTION_TABLES].map(([command, table]) => commandText(command, table)),
  ].join("\n");
}

function commandText(command: string, table: OptionTable): string {
  const groups = Map.groupBy(
    specsOf(table).filter(({ hidden }) => !hidden),
    ({ group }) => group,
  );
  return [
    `## inferometer ${command}\n`,
    ...[...groups].flatMap(([group, specs]) => [`### ${group}\n`, ...specs.map(optionText)]),
  ].join("\n");
}

function optionText(spec: OptionSpec): string {
  const { needs, excludes, short, aliases = [], synonyms, example } = spec;
  const defaultText = defaultTextOf(spec);
  const otherNames = [
    ...(short === undefined ? [] : [`-${short}`]),
    ...aliases.map((alias) => `--${alias}`),
  ];
  const facts: readonly (readonly [string, string | undefined])[] = [
    ["Value", valueText(spec)],
    [
      "For AIPerf",
      synonyms &&
      Object.entries(synonyms).map(([word, choice]) => `\`${word}\` means \`${choice}\``).join(
        ", ",
      ),
    ],
    ["Default", defaultText === undefined ? undefined : code([defaultText])],
    ["Needs", needs && code(needs.map(flagOf), " or ")],
    ["Not together with", excludes && code(excludes.map(flagOf))],
    ["Also", otherNames.length === 0 ? undefined : code(otherNames)],
    ["Variable", code(variablesOf(spec))],
    ["Example", example && code([example])],
  ];
  const shown = facts.filter(([, text]) => text !== undefined)
    .map(([title, text]) => `- ${title}: ${text}\n`);
  const heading = `${flagOf(spec.name)} ${placeholderOf(spec)}`.trim();
  return `#### \`${heading}\`\n\n${spec.help}.\n\n${shown.join("")}`;
}

function code(texts: readonly string[], separator = ", "): string {
  return texts.map((text) => `\`${text}\``).join(separator);
}
