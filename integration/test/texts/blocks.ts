import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

export const TEXTS = [
  "1-jaf-memory-system",
  "2-xflow-chat-memory",
  "3-memory-and-persistence",
  "4-jaf-core-concepts",
] as const;
export type Text = (typeof TEXTS)[number];

export const BLOCK_LANGUAGES = ["ts", "cjs", "sh", "env", "sql", "yaml", "text"] as const;

/** A text's code block, verbatim. The name is ours; `from` and `to` are the text's lines, counted from 1. */
export interface Block {
  readonly text: Text;
  readonly language: (typeof BLOCK_LANGUAGES)[number];
  readonly name: string;
  readonly from: number;
  readonly to: number;
  readonly code: string;
}

/** Where a text's blocks are committed: fences that say the language, the name and the lines. */
export const fixtureOf = (text: Text): string =>
  fileURLToPath(new URL(`./blocks/${text}.txt`, import.meta.url));

const FENCE = /^```(\w+) (\S+) (\d+)-(\d+)\n([\s\S]*?)\n```$/gm;

const isLanguage = (word: string | undefined): word is Block["language"] =>
  BLOCK_LANGUAGES.some((language) => language === word);

export function blocksOf(text: Text): readonly Block[] {
  return [...readFileSync(fixtureOf(text), "utf8").matchAll(FENCE)].map(
    ([fence, language, name = "", from, to, code = ""]) => {
      if (!isLanguage(language)) throw new TypeError(`What language is this? ${fence.split("\n")[0]}`);
      return { text, language, name, from: Number(from), to: Number(to), code };
    },
  );
}

export const BLOCKS: readonly Block[] = TEXTS.flatMap(blocksOf);

export function blockNamed(text: Text, name: string): Block {
  const block = BLOCKS.find((candidate) => candidate.text === text && candidate.name === name);
  if (block === undefined) throw new RangeError(`${text} has no block ${name}.`);
  return block;
}

/** The fixture of these blocks, with the code that the text's lines have. */
export const printFixture = (blocks: readonly Block[], lines: readonly string[]): string =>
  blocks
    .map(({ language, name, from, to }) =>
      [`\`\`\`${language} ${name} ${from}-${to}`, ...lines.slice(from - 1, to), "```", ""].join("\n"),
    )
    .join("\n");
