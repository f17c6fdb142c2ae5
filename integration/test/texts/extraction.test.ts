import { existsSync, readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { type Block, blocksOf, fixtureOf, printFixture, TEXTS, type Text } from "./blocks.ts";
import { settingOf } from "./settings/index.ts";

/** Beside the repository, where the texts are at hand. */
const folder = new URL("../../../../shared/spec/", import.meta.url);
const linesOf = (text: Text): readonly string[] =>
  readFileSync(new URL(`${text}.txt`, folder), "utf8").split("\n");

/** A line of prose says nothing like this: it ends as a statement or an element does, or begins as one. */
const CODE =
  /[;{,[(]$|^\s*[}\])]|=>|^\s*(?:\/\/|#|--) |^(?:import|export|const|class|interface|type|async|await|function|return|if|for|switch|try|case)\b.*[({='"]|^[A-Z][A-Z_]+=|^\s*(?:- )?\w+: *(?:["'[{]|\d|$)|^[├<]|^\s*\w+\(.*\) *\{|^(?:docker|brew|sudo|createdb|redis-cli|SELECT|CREATE) /;

/** Looks like code by that rule, and is the end of a sentence. */
const PROSE: ReadonlySet<string> = new Set(["types:"]);

const tests = readdirSync(new URL(".", import.meta.url))
  .filter((file) => file.endsWith(".test.ts") && !import.meta.url.endsWith(file))
  .map((file) => readFileSync(new URL(file, import.meta.url), "utf8"))
  .join("\n");

/** Installs software, or is no program. */
const NOT_RUN: ReadonlySet<string> = new Set(["redis-prerequisites", "postgres-prerequisites", "async-user"]);

describe.each(TEXTS)("the blocks of %s", (text) => {
  const blocks = blocksOf(text);

  it("have names of their own, and are in the text's order", () => {
    expect(new Set(blocks.map(({ name }) => name)).size).toBe(blocks.length);
    for (const [index, { from, to, code }] of blocks.entries()) {
      expect(from).toBeGreaterThan(blocks[index - 1]?.to ?? 0);
      expect(code.split("\n")).toHaveLength(to - from + 1);
    }
  });

  it("are each seen by the rule that looks for forgotten ones", () => {
    expect(blocks.filter(({ code }) => !code.split("\n").some((line) => CODE.test(line)))).toEqual([]);
  });

  it("run in a test, but for types", () => {
    const isLeft = (block: Block) => settingOf(block).as !== "types" && !NOT_RUN.has(block.name);
    const left = blocks.filter(isLeft).filter(({ name }) => !tests.includes(`"${name}"`));
    expect(left.map(({ name }) => name)).toEqual([]);
  });

  // `pnpm test texts/extraction -u` extracts them again, by the lines that the fences name.
  it.runIf(existsSync(folder))("are the text's, verbatim", async () => {
    await expect(printFixture(blocks, linesOf(text))).toMatchFileSnapshot(fixtureOf(text));
  });

  it.runIf(existsSync(folder))("are all of its code", () => {
    const inBlock = (line: number) => blocks.some(({ from, to }) => from <= line && line <= to);
    const left = linesOf(text)
      .map((line, index) => ({ line, number: index + 1 }))
      .filter(({ line, number }) => CODE.test(line) && !inBlock(number))
      .filter(({ line }) => !PROSE.has(line))
      .map(({ line, number }) => `${number}: ${line}`);
    expect(left).toEqual([]);
  });
});
