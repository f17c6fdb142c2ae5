import { describe, expect, it } from "vitest";
import { BLOCKS, type Block, blockNamed, TEXTS } from "./blocks.ts";
import { CANNOT } from "./cannot.ts";
import { findingsIn } from "./program.ts";
import { moduleOfBlock, settingOf } from "./settings/index.ts";

const pathOf = ({ text, name, language }: Block): string => `blocks/${text}/${name}.${language}`;

const IN_PLACE_OF: Readonly<Record<string, string>> = {
  "functional-agent-framework": "given/framework.ts",
  "@gemstack/ai-sdk": "given/ai-sdk.ts",
};

/** What a module that a block imports is in this repository. */
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

const saysOf = (block: Block): readonly string[] => {
  const { textLine } = moduleOfBlock(block);
  return (findings.get(pathOf(block)) ?? []).map(
    ({ line, code, message }) => `${textLine(line)}: TS${code} ${message}`,
  );
};

const withoutMessages = (says: readonly string[]): readonly string[] =>
  says.map((line) => line.replace(/(?<=TS\d+) [\s\S]*/, ""));

const listed = CANNOT.map(({ text, block }) => blockNamed(text, block));

describe.each(["1-jaf-memory-system", "3-memory-and-persistence", "4-jaf-core-concepts"] as const)(
  "the blocks of %s",
  (text) => {
    const blocks = typed.filter((block) => block.text === text && !listed.includes(block));

    it.each(blocks)("compile: $name, line $from", (block) => {
      const { refused } = settingOf(block);
      if (refused === undefined) expect(saysOf(block)).toEqual([]);
      else expect(withoutMessages(saysOf(block))).toEqual([refused]);
    });
  },
);

describe("the blocks that can't", () => {
  it.each(CANNOT)("$text, $block: $mistake", ({ text, block, says }) => {
    expect(withoutMessages(saysOf(blockNamed(text, block)))).toEqual(says);
  });

  it("are fewer than ten", () => {
    expect(CANNOT.length).toBeLessThan(10);
  });
});
