import { readFileSync } from "node:fs";
import type { Block, Text } from "../blocks.ts";
import { type BlockModule, exportedNames, moduleOf, type Setting } from "../modules.ts";
import { memorySystem } from "./1-jaf-memory-system.ts";
import { memoryAndPersistence } from "./3-memory-and-persistence.ts";
import { coreConcepts } from "./4-jaf-core-concepts.ts";

/** By the block's name. A block that isn't named stands in a function, and is given what its text's blocks are. */
const SETTINGS: Readonly<Record<Text, Readonly<Record<string, Setting>>>> = {
  "1-jaf-memory-system": memorySystem,
  "2-xflow-chat-memory": {},
  "3-memory-and-persistence": memoryAndPersistence,
  "4-jaf-core-concepts": coreConcepts,
};

const givenTo = (text: Text): readonly string[] =>
  exportedNames(readFileSync(new URL(`../given/${text}.ts`, import.meta.url), "utf8"));

export function settingOf({ text, name }: Block): Setting {
  return SETTINGS[text][name] ?? {};
}

/** As the compiler is to see it. */
export const moduleOfBlock = (block: Block): BlockModule =>
  moduleOf(block, settingOf(block), givenTo(block.text));

/** As it runs: what is declared for the compiler alone is given, too. */
export function runnableModuleOf(block: Block): BlockModule {
  const { declares: _, ...setting } = settingOf(block);
  return moduleOf(block, setting, givenTo(block.text));
}
