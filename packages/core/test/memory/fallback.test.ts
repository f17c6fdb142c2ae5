// Turns while the primary store is out of reach, and after it is back.
import {
  createFailure,
  createInMemoryProvider,
  createMemoryConnectionError,
  type VersionedMemoryProvider,
  withFallback,
} from "@jaf/memory";
import { expect, it } from "vitest";
import * as z from "zod";
import { createTool, type MemoryConfig, run } from "../../src/index.ts";
import { createScriptedModel } from "../../src/testing/index.ts";
import { says, setup } from "../support/setup.ts";

const echo = createTool({ name: "echo", description: "", parameters: z.object({}), execute: () => "echoed" });

function gated(store: VersionedMemoryProvider, outage: { isDown: boolean }): VersionedMemoryProvider {
  const methods = Object.entries(store).map(([name, method]) => [
    name,
    (...args: unknown[]) =>
      outage.isDown
        ? Promise.resolve(createFailure(createMemoryConnectionError("primary")))
        : Reflect.apply(method as () => unknown, store, args),
  ]);
  return Object.fromEntries(methods) as VersionedMemoryProvider;
}

it.each(["completed", "turn", "step"] as const)(
  "keep their order in the primary when they went to the fallback with durability %s",
  async (durability) => {
    const outage = { isDown: false };
    const primary = createInMemoryProvider();
    const provider = withFallback(gated(primary, outage), createInMemoryProvider(), {
      writes: "fallback",
      cooldownMs: 0,
    });
    const memory: MemoryConfig = { provider, autoStore: true, durability };
    const turn = async (text: string) => {
      const model = createScriptedModel([{ toolCalls: [{ name: "echo" }] }, `To ${text}.`]);
      const { config } = setup({ model, tools: [echo], config: { memory, conversationId: "c" } });
      const { outcome } = await run(says(text), config);
      expect(outcome).toMatchObject({ status: "completed" });
      return model.requests[0]?.state.messages.length;
    };
    await turn("1");
    outage.isDown = true;
    expect(await turn("2")).toBe(1);
    expect(await turn("3")).toBe(5);
    outage.isDown = false;
    expect(await turn("4")).toBe(13);
    const found = await primary.getConversation("c");
    const stored = found.success ? (found.data?.messages ?? []) : [];
    const spoken = stored.filter(({ role, content }) => role !== "tool" && content !== "");
    expect(spoken.map(({ content }) => content)).toEqual(
      ["1", "2", "3", "4"].flatMap((text) => [text, `To ${text}.`]),
    );
  },
);
