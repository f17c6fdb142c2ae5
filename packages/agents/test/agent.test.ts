import { setConversationStore } from "@jaf/core";
import { createInMemoryProvider, type MemoryProvider } from "@jaf/memory";
import { createRedisProvider } from "@jaf/memory-redis";
import { createClient } from "redis";
import { afterEach, describe, expect, inject, it, onTestFinished } from "vitest";
import { AiRegistry } from "../src/index.ts";
import { classForm, valueForm } from "./support/forms.ts";
import { travel } from "./support/journey.ts";

declare module "vitest" {
  interface ProvidedContext {
    redisUrl: string;
  }
}

const stores: Readonly<Record<string, () => Promise<MemoryProvider>>> = {
  "the in-memory provider": async () => createInMemoryProvider(),
  Redis: async () => {
    const client = await createClient({ url: inject("redisUrl") }).connect();
    onTestFinished(async () => void (await client.close()));
    return createRedisProvider({ keyPrefix: `test:${crypto.randomUUID()}:` }, client);
  },
};

afterEach(() => {
  AiRegistry.reset();
  setConversationStore(undefined);
});

describe.each(Object.entries(stores))("the same agent as a class and as a value, on %s", (_name, open) => {
  it("sends, stores and refuses the same", async () => {
    const [one, other] = [await open(), await open()];

    const ofClass = await travel(await classForm(one), one);
    const ofValue = await travel(await valueForm(other), other);

    expect(ofClass).toEqual(ofValue);
    expect(ofClass.requests.length).toBeGreaterThan(12);
    expect(ofClass.threads.every((thread) => thread.length >= 4)).toBe(true);
    expect(ofClass.told).not.toContain("not refused");
    expect(ofClass).toMatchObject({ requests: expect.arrayContaining([asked()]) });
  });
});

/** The first request, since equal forms prove little if both lack the same. */
const asked = () =>
  expect.objectContaining({
    instructions: expect.stringMatching(/^You help ann\.\s+Speak up\.$/),
    tools: ["look_up", "pay", "locate"],
    modelConfig: { temperature: 0.5, maxTokens: 100 },
    cache: { instructions: true, messages: "all", ttl: "2h" },
    model: "one",
    maxTurns: 4,
  });

describe("without a store", () => {
  it.each([
    ["forUser", "forUser"],
    ["continue", "continue"],
    ["a prompt of a declared user", "prompt"],
  ] as const)("%s is refused in the same words", async (_what, method) => {
    const thrownBy = async (form: typeof classForm) => {
      const { client } = await form(undefined);
      return (async () => void (await client[method]("user-42")))().then(() => undefined, String);
    };

    const ofClass = await thrownBy(classForm);

    expect(ofClass).toMatch(/^TypeError: No conversation store: call setConversationStore/);
    expect(ofClass).toBe(await thrownBy(valueForm));
  });
});
