import { type CacheableConfig, run } from "@jaf/core";
import { describe, expect, it } from "vitest";
import type { Dialect } from "../../src/index.ts";
import { fakeResponses, responsesOf } from "../support/responses.ts";
import { configOf, fakeChat, providerOf, says } from "../support/setup.ts";

const cacheable: CacheableConfig = { instructions: true, messages: "all" };

async function chatKey(dialect: Dialect, agent: object) {
  const fake = await fakeChat(["Ok."]);
  const { config } = configOf(providerOf(fake, { dialect }), agent, { conversationId: "c" });
  await run(says("Hi"), config);
  expect(fake.refusals).toEqual([]);
  return fake.requests[0]?.body["prompt_cache_key"];
}

describe("prompt_cache_key of Chat Completions", () => {
  it("equals the key of Responses for the same prompt", async () => {
    const fake = await fakeResponses(["Ok."]);
    const { config } = configOf(responsesOf(fake), { cacheable }, { conversationId: "c" });
    await run(says("Hi"), config);
    const key = await chatKey("openai", { cacheable });
    expect(key).toMatch(/^[0-9a-f]{32}$/);
    expect(fake.requests[0]?.["prompt_cache_key"]).toBe(key);
  });

  it("isn't sent if nothing is cacheable", async () => {
    expect(await chatKey("openai", {})).toBeUndefined();
  });

  it.each(["deepseek", "gemini", "compatible"] as const)("isn't sent in the dialect %s", async (dialect) => {
    expect(await chatKey(dialect, { cacheable })).toBeUndefined();
  });

  it("is overridden by the provider options", async () => {
    const modelConfig = { providerOptions: { openai: { prompt_cache_key: "mine" } } };
    expect(await chatKey("openai", { cacheable, modelConfig })).toBe("mine");
  });
});
