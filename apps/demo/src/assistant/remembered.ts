const BLOCK = /<user-memory>\n([\s\S]*?)\n<\/user-memory>/;
const ITEM = /^- (?:\([^)]*\) )?/;

/** The facts about the user that instructions hold, in their order. */
export function rememberedIn(instructions: string): readonly string[] {
  const [, items = ""] = BLOCK.exec(instructions) ?? [];
  return items.split("\n").flatMap((line) => (ITEM.test(line) ? [line.replace(ITEM, "")] : []));
}
