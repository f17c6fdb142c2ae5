/**
 * Checks that each unchanged TypeScript block of the four texts compiles without errors, or with exactly the errors of the
 * text's own mistakes (`cannot.ts`).
 */
import { BLOCKS, type Block, blockNamed, TEXTS } from "../integration/test/texts/blocks.ts";
import { CANNOT } from "../integration/test/texts/cannot.ts";
import { findingsIn } from "../integration/test/texts/program.ts";
import { moduleOfBlock, settingOf } from "../integration/test/texts/settings/index.ts";

const MOST_MISTAKES = 10;

const pathOf = ({ text, name, language }: Block): string => `blocks/${text}/${name}.${language}`;

const IN_PLACE_OF: Readonly<Record<string, string>> = {
  "functional-agent-framework": "given/framework.ts",
  "@gemstack/ai-sdk": "given/ai-sdk.ts",
};

/** The modules of this repository that a block's imports stand for. */
function fileOfImport(specifier: string, importer: string): string | undefined {
  if (specifier === "given")
    return `given/${TEXTS.find((text) => importer.startsWith(`blocks/${text}/`))}.ts`;
  return IN_PLACE_OF[specifier];
}

const typed = BLOCKS.filter(({ language }) => language === "ts" || language === "cjs");
const findings = findingsIn(
  typed.map((block) => {
    const { source, claims } = moduleOfBlock(block);
    return { path: pathOf(block), source: source + claims };
  }),
  fileOfImport,
);

const mistakes = new Map(CANNOT.map(({ text, block, says }) => [blockNamed(text, block), says]));

/** With the text's line numbers and without messages: `418: TS4104`. */
function expectedOf(block: Block): readonly string[] {
  const { refused } = settingOf(block);
  return mistakes.get(block) ?? (refused === undefined ? [] : [refused]);
}

function faultsOf(block: Block): readonly string[] {
  const { textLine } = moduleOfBlock(block);
  const found = findings.get(pathOf(block)) ?? [];
  const short = found.map(({ line, code }) => `${textLine(line)}: TS${code}`);
  const expected = expectedOf(block);
  if (short.join() === expected.join()) return [];
  const said = found.map(({ line, code, message }) => `  ${textLine(line)}: TS${code} ${message}`);
  return [`${block.text}, ${block.name}: expected ${expected.join(", ") || "no finding"}, got`, ...said];
}

const faults = typed.flatMap(faultsOf);
if (mistakes.size >= MOST_MISTAKES) faults.push(`${mistakes.size} blocks are listed that can't compile.`);
if (faults.length > 0) {
  console.error(faults.join("\n"));
  process.exitCode = 1;
} else console.log(`${typed.length} blocks of the texts compile as they should.`);
