import { type ChatMemoryConfig, createChatMemory, type Message } from "@jaf/memory";
import { describe, expect, it } from "vitest";
import { BACKENDS } from "./backends.ts";
import { blockNamed } from "./blocks.ts";

/** The properties of a chat memory that the blocks state, each of which is a line of JSON by YAML's rules. */
function propertiesOf(...names: readonly string[]): ChatMemoryConfig {
  const code = names.map((name) => blockNamed("2-xflow-chat-memory", name).code).join("\n");
  const memory = /^ {2}memory: \n((?: {4}.*\n)*)/m.exec(code)?.[1] ?? code;
  const lines = memory.matchAll(/^ +(\w+): (".*"|\d+)$/gm);
  return Object.fromEntries([...lines].map(([, name, value = ""]) => [name, JSON.parse(value)]));
}

/** Of about 100 tokens each. */
const said: readonly Message[] = Array.from({ length: 30 }, (_, index) => ({
  role: index % 2 === 0 ? "user" : "assistant",
  content: `${index}: ${"word ".repeat(95)}`,
}));

describe.each(Object.entries(BACKENDS))("a chat memory %s", (_, open) => {
  /** What is left of the messages. */
  async function keep(config: ChatMemoryConfig): Promise<readonly Message[]> {
    const { provider, close } = await open();
    const memory = createChatMemory(config, provider);
    expect(memory.memoryId).toBe("session123");
    for (const message of said) expect(await memory.add(message)).toMatchObject({ success: true });
    const kept = await memory.messages();
    await close();
    if (!kept.success) throw kept.error;
    return kept.data;
  }

  it.each([
    ["the configuration", ["message-window"]],
    ["the whole state", ["whole-state"]],
    ["the properties, of which the type is the default one", ["memory-id", "max-messages"]],
  ])("retains 10 messages by %s", async (_, blocks) => {
    expect(propertiesOf(...blocks)).toMatchObject({ memoryId: "session123", maxMessages: 10 });
    expect(await keep(propertiesOf(...blocks))).toEqual(said.slice(-10));
  });

  it.each([
    ["the configuration", ["token-window"]],
    ["the properties", ["memory-id", "memory-type", "max-tokens"]],
  ])("retains the newest messages of 1000 tokens by %s, each whole or not at all", async (_, blocks) => {
    const config = propertiesOf(...blocks);
    expect(config).toEqual({ memoryId: "session123", memoryType: "token_window", maxTokens: 1000 });
    const kept = await keep(config);
    expect(kept.length).toBeGreaterThan(5);
    expect(kept.length).toBeLessThan(11);
    expect(kept).toEqual(said.slice(-kept.length));
  });
});
