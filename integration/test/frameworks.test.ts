import { readFileSync } from "node:fs";
import { createInMemoryProvider } from "@jaf/memory";
import { expect, it } from "vitest";
import { aiSdk } from "./support/frameworks/ai-sdk.ts";
import type { Framework } from "./support/frameworks/framework.ts";
import { jaf } from "./support/frameworks/jaf.ts";
import { langgraph } from "./support/frameworks/langgraph.ts";
import { openaiAgents } from "./support/frameworks/openai-agents.ts";
import { type Crossing, crossingTable, thingsIn } from "./support/frameworks/table.ts";

const FRAMEWORKS: readonly Framework[] = [jaf, aiSdk, openaiAgents, langgraph];

const document = new URL("../../docs/frameworks.md", import.meta.url).pathname;
const SECTION = /(<!-- crossings -->\n)[\s\S]*(<!-- \/crossings -->)/;

/** Begins a conversation under one framework and goes on with it under another one, and then under the first again. */
async function cross(from: Framework, to: Framework): Promise<Crossing> {
  const place = { provider: createInMemoryProvider(), conversationId: "conv-1", userId: "ada" };
  await from.begin(place);
  const begun = await from.load(place);
  const given = await to.ask(place, `A question under ${to.name}`, `A reply under ${to.name}`);
  const after = await from.load(place);
  const givenBack = JSON.stringify(await from.ask(place, "A last question", "A last reply"));
  for (const text of [`A question under ${to.name}`, `A reply under ${to.name}`, "A last question"]) {
    // Everything that was said goes on, whatever engine said it.
    expect(givenBack, `${from.name}, ${to.name}, ${from.name}`).toContain(text);
  }
  const isBack = JSON.stringify(after.slice(0, begun.length)) === JSON.stringify(begun);
  return { from, to, given: thingsIn(given), isBack };
}

// `pnpm test frameworks -u` writes the table.
it("the table in docs/frameworks.md is what four engines do with each other's conversations", async () => {
  const pairs = FRAMEWORKS.flatMap((from) => FRAMEWORKS.map((to) => [from, to] as const));
  const crossings = await Promise.all(pairs.map(([from, to]) => cross(from, to)));
  const before = readFileSync(document, "utf8");
  expect(before).toMatch(SECTION);
  const after = before.replace(SECTION, `$1\n${crossingTable(crossings, FRAMEWORKS)}\n\n$2`);
  await expect(after).toMatchFileSnapshot(document);
});
