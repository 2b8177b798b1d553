/** Licenses of the code and data of others in the program: `src/cli/commands/licenses.txt`. */

import { fileURLToPath } from "node:url";
import { sourceFiles } from "../compile/source_files.ts";

const SOURCES = fileURLToPath(new URL("../../src", import.meta.url));
/** Folder of all packages in the runtime's cache; a package's own folder is NAME/VERSION there. */
const PACKAGES = new URL("../../../", import.meta.resolve("npm:uplot@1.6.32"));
const LICENSE_FILE = /^(?:licen[cs]e|copying)(?:\.(?:md|txt))?$/i;
const TITLE = /^\W*(?:(?:the )?(?:mit|isc) license(?: \(mit\)|:)?|license)\W*$/i;

const MIT = `Permission is hereby granted, free of charge, to any person obtaining a copy
of this software and associated documentation files (the "Software"), to deal
in the Software without restriction, including without limitation the rights
to use, copy, modify, merge, publish, distribute, sublicense, and/or sell
copies of the Software, and to permit persons to whom the Software is
furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all
copies or substantial portions of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR
IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY,
FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE
AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER
LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM,
OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE
SOFTWARE.`;

const MPL = `This Source Code Form is subject to the terms of the Mozilla Public License,
v. 2.0: https://mozilla.org/MPL/2.0/. The source code is available, unchanged, at
https://github.com/thx/resvg-js and https://github.com/linebender/resvg.`;

const BITSTREAM_VERA = `Permission is hereby granted, free of charge, to any person obtaining a copy
of the fonts accompanying this license ("Fonts") and associated
documentation files (the "Font Software"), to reproduce and distribute the
Font Software, including without limitation the rights to use, copy, merge,
publish, distribute, and/or sell copies of the Font Software, and to permit
persons to whom the Font Software is furnished to do so, subject to the
following conditions:

The above copyright and trademark notices and this permission notice shall
be included in all copies of one or more of the Font Software typefaces.

The Font Software may be modified, altered, or added to, and in particular
the designs of glyphs or characters in the Fonts may be modified and
additional glyphs or characters may be added to the Fonts, only if the fonts
are renamed to names not containing either the words "Bitstream" or the word
"Vera".

This License becomes null and void to the extent applicable to Fonts or Font
Software that has been modified and is distributed under the "Bitstream
Vera" names.

The Font Software may be sold as part of a larger software package but no
copy of one or more of the Font Software typefaces may be sold by itself.

THE FONT SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS
OR IMPLIED, INCLUDING BUT NOT LIMITED TO ANY WARRANTIES OF MERCHANTABILITY,
FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT OF COPYRIGHT, PATENT,
TRADEMARK, OR OTHER RIGHT. IN NO EVENT SHALL BITSTREAM OR THE GNOME
FOUNDATION BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, INCLUDING
ANY GENERAL, SPECIAL, INDIRECT, INCIDENTAL, OR CONSEQUENTIAL DAMAGES,
WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM, OUT OF
THE USE OR INABILITY TO USE THE FONT SOFTWARE OR FROM OTHER DEALINGS IN THE
FONT SOFTWARE.

Except as contained in this notice, the names of Gnome, the Gnome
Foundation, and Bitstream Inc., shall not be used in advertising or
otherwise to promote the sale, use or other dealings in this Font Software
without prior written authorization from the Gnome Foundation or Bitstream
Inc., respectively.`;

/** License of a part of the program. */
interface PartLicense {
  readonly name: string;
  /** SPDX identifier. */
  readonly license: string;
  /** Lines that name the holders of rights. */
  readonly copyright: readonly string[];
  readonly text: string;
}

/** Parts that are no packages. */
const OTHERS: readonly PartLicense[] = [
  {
    name: "Deno, the runtime in the executable (https://github.com/denoland/deno)",
    license: "MIT",
    copyright: ["Copyright 2018-2026 the Deno authors"],
    text: MIT,
  },
  {
    name: "o200k_base, vocabulary of the builtin tokenizer (https://github.com/openai/tiktoken)",
    license: "MIT",
    copyright: ["Copyright (c) 2022 OpenAI, Shantanu Jain"],
    text: MIT,
  },
  {
    name: "DejaVu Sans, font of pictures (https://dejavu-fonts.github.io)",
    license: "Bitstream-Vera",
    copyright: [
      "Copyright (c) 2003 by Bitstream, Inc. All Rights Reserved. Bitstream Vera is a trademark of",
      "Bitstream, Inc. DejaVu changes are in public domain.",
    ],
    text: BITSTREAM_VERA,
  },
];

/** Text of the file: each license once, below the parts that it applies to. */
export async function thirdPartyLicenses(): Promise<string> {
  const packages = await Promise.all([...await packagesInUse()].sort().map(packageLicense));
  const groups = Map.groupBy(
    [...packages, ...OTHERS],
    ({ license, text }) => `${license} ${text.replace(/[\s*>"']+/g, " ").toLowerCase()}`,
  );
  const chapters = [...groups.values()].map((parts) => {
    const [{ license, text }] = parts as [PartLicense, ...PartLicense[]];
    const names = parts.map(({ name, copyright }) =>
      [name, ...copyright.map((line) => `  ${line}`)].join("\n")
    );
    return `${names.join("\n")}\n\nLicense: ${license}\n\n${text}\n`;
  });
  return [
    "Licenses of the packages and data in inferometer\n",
    ...chapters,
  ].join(`\n${"-".repeat(80)}\n\n`);
}

/** `name@version` of the packages that the sources import, and of those that these need. */
async function packagesInUse(): Promise<Set<string>> {
  const lock = JSON.parse(await Deno.readTextFile(new URL("../../deno.lock", import.meta.url)));
  const locked: Readonly<Record<string, { readonly dependencies?: readonly string[] }>> = lock.npm;
  const keyOf = (name: string): string | undefined =>
    Object.keys(locked).find((key) =>
      key === name || key.startsWith(`${name}@`) || key.startsWith(`${name}_`)
    );
  const found = new Set<string>();
  const add = (name: string): void => {
    const key = keyOf(name);
    if (key === undefined) throw new Error(`deno.lock has no package ${name}`);
    const known = key.replace(/(?<=.)_.*$/, "");
    if (found.has(known)) return;
    found.add(known);
    for (const other of locked[key]?.dependencies ?? []) add(other);
  };
  for (const path of await sourceFiles(SOURCES)) {
    for (
      const [, name] of (await Deno.readTextFile(path)).matchAll(/"npm:((?:@[^/"]+\/)?[^/"]+)/g)
    ) {
      if (!name?.startsWith("@types/")) add(name as string);
    }
  }
  return found;
}

/** License of a package, from its own file where it has one. */
async function packageLicense(key: string): Promise<PartLicense> {
  const at = key.lastIndexOf("@");
  const folder = new URL(`${key.slice(0, at)}/${key.slice(at + 1)}/`, PACKAGES);
  const { name, version, license, author } = JSON.parse(
    await Deno.readTextFile(new URL("package.json", folder)),
  );
  let file: string | undefined;
  for await (const entry of Deno.readDir(folder)) {
    if (LICENSE_FILE.test(entry.name)) file = entry.name;
  }
  const part = { name: `${name} ${version}`, license };
  if (file === undefined) {
    const holder = typeof author === "string" ? author : author?.name ?? `the authors of ${name}`;
    const text = license === "MIT" ? MIT : license === "MPL-2.0" ? MPL : undefined;
    if (text === undefined) throw new Error(`${key} has no file of its license, ${license}`);
    return { ...part, copyright: [`Copyright (c) ${holder}`], text };
  }
  const lines = (await Deno.readTextFile(new URL(file, folder))).replaceAll("\r", "").split("\n");
  const isCopyright = (line: string): boolean => /^\s*(?:copyright\b|\(c\))/i.test(line);
  const isOwn = lines.filter(isCopyright).length <= 3 && !/^Apache/.test(license);
  const copyright = isOwn ? lines.filter(isCopyright).map((line) => line.trim()) : [];
  const text = lines.filter((line) => !isOwn || !isCopyright(line) && !TITLE.test(line));
  return { ...part, copyright, text: text.join("\n").replace(/\n{3,}/g, "\n\n").trim() };
}
