/**
 * Makes a package's `SKILL.md`: what a coding agent needs that has only `node_modules`. The programs and rules are written by
 * hand in `skills/<package>.md`, whose code `check-snippets.ts` compiles; everything else comes from the manifest, the doc
 * comments and the table of pages.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { EntryNames, ExportedName } from "./exported-names.ts";
import { linksIn, replaceLinks, titleOf } from "./markdown.ts";
import { PAGES, type Page } from "./pages.ts";
import { carriedLinks, type Library, type Manifest, placeOf, targetOf } from "./places.ts";

/** An agent reads all of it before it begins. */
const MOST_LINES = 260;

interface Source {
  /** What the package is for, and when to use it: all that agents see before they read on. */
  readonly description: string;
  readonly body: string;
}

function sourceOf(root: string, { folder, manifest }: Library): Source {
  const path = `scripts/documents/skills/${folder}.md`;
  const text = readFileSync(join(root, path), "utf8");
  const [, description, body] = /^# .+\n\n(.+)\n\n(## [\s\S]*)$/.exec(text) ?? [];
  if (description === undefined || body === undefined)
    throw new Error(`${path} needs a title, a paragraph that says when to use the package, and sections.`);
  return { description, body: replaceLinks(body, carriedLinks(root, path, manifest.version)).trim() };
}

/** As in the directory's name, which pnpm and the format of skills ask for. */
export const skillName = ({ folder }: Library): string => `jaf-${folder}`;

function peersOf({ peerDependencies = {}, peerDependenciesMeta = {} }: Manifest) {
  const peers = Object.keys(peerDependencies);
  const isOptional = (peer: string) => peerDependenciesMeta[peer]?.optional === true;
  return { required: peers.filter((peer) => !isOptional(peer)), optional: peers.filter(isOptional) };
}

function install(manifest: Manifest): string {
  const { required, optional } = peersOf(manifest);
  const line = `\`\`\`sh\nnpm install ${[manifest.name, ...required].join(" ")}\n\`\`\``;
  if (optional.length === 0) return line;
  const names = optional.map((peer) => `\`${peer}\``).join(", ");
  return `${line}\n\nOptional peers, installed only if you use them: ${names}.`;
}

const inCode = (names: readonly ExportedName[]): string => names.map(({ name }) => `\`${name}\``).join(", ");

function exportsOf({ entry, names }: EntryNames): string {
  const heading = `### \`${entry.specifier}\``;
  if (entry.path === "./internal")
    return `${heading}\n\nFor the other \`@jaf\` packages. It may change in any version.`;
  const values = names.filter(({ isValue }) => isValue);
  const types = names.filter(({ isValue }) => !isValue);
  const isForAuthors = entry.path === "./adapter";
  return [
    heading,
    isForAuthors
      ? `For authors of adapters: ${inCode(values)}.`
      : values.map(({ name, sentence }) => `- \`${name}\`: ${sentence}`).join("\n"),
    types.length > 0 ? `Types: ${inCode(types)}.` : "",
  ]
    .filter((part) => part !== "")
    .join("\n\n");
}

const lineOf = (root: string, { file, to }: Page, place: string): string =>
  `- [${titleOf(readFileSync(join(root, "docs", file), "utf8"))}](${place}): to ${to}`;

/** The pages that the package carries, and those of other packages that its README refers to. */
function pagesOf(root: string, { folder }: Library): string {
  const readme = `packages/${folder}/README.md`;
  const targets = linksIn(readFileSync(join(root, readme), "utf8")).map(
    ({ url }) => targetOf(url, readme)?.[0],
  );
  const carried = PAGES.filter(({ home }) => home !== "repository");
  const own = carried.filter(({ home }) => home === folder);
  const others = carried.filter(({ file, home }) => home !== folder && targets.includes(`docs/${file}`));
  return [
    "- [README.md](README.md): options, tables and more examples",
    ...own.map((page) => lineOf(root, page, `docs/${page.file}`)),
    ...others.map((page) => lineOf(root, page, `../${placeOf(`docs/${page.file}`)}`)),
  ].join("\n");
}

export function skillOf(root: string, library: Library, entries: readonly EntryNames[]): string {
  const { manifest } = library;
  const { description, body } = sourceOf(root, library);
  const text = `---
name: ${skillName(library)}
description: ${JSON.stringify(description)}
license: MIT
metadata:
  package: ${JSON.stringify(manifest.name)}
  version: ${JSON.stringify(manifest.version)}
---

# ${manifest.name}

${manifest.description} Version ${manifest.version}. Needs Node 20.19 or later; ES modules and CommonJS.

${install(manifest)}

${body}

## Exports

Every export has a doc comment: read it in \`dist/*.d.ts\`, or with the code in \`src\`. Import only from the entries below, never from \`src\` or \`dist\`.

${entries.map(exportsOf).join("\n\n")}

## Pages to read

\`../core/docs/turns.md\` is \`node_modules/@jaf/core/docs/turns.md\`. Each \`@jaf\` package has its own \`SKILL.md\`.

${pagesOf(root, library)}
`;
  const lines = text.split("\n").length;
  if (lines > MOST_LINES)
    throw new Error(`SKILL.md of ${manifest.name} has ${lines} lines, more than ${MOST_LINES}.`);
  return text;
}
