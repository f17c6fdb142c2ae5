// Turns while the primary store is unavailable, and after that.
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

it.each([
  // The first write is the reply, and the primary is back by then: the history of the run was the fallback's.
  ["completed", 2],
  // The first write comes before the model is called.
  ["turn", 0],
  ["step", 0],
] as const)(
  "store nothing during an outage, and work once the primary has answered, with durability %s",
  async (durability, requests) => {
    const outage = { isDown: false };
    const back = () => {
      outage.isDown = false;
    };
    const primary = createInMemoryProvider();
    const fallback = createInMemoryProvider();
    const provider = withFallback(gated(primary, outage), fallback, { cooldownMs: 0, onFallback: back });
    const memory: MemoryConfig = { provider, autoStore: true, durability };
    const turn = async (text: string) => {
      const model = createScriptedModel([{ toolCalls: [{ name: "echo" }] }, `To ${text}.`]);
      const { config } = setup({ model, tools: [echo], config: { memory, conversationId: "c" } });
      const { outcome } = await run(says(text), config);
      return { outcome, requests: model.requests.length };
    };
    expect(await turn("1")).toMatchObject({ outcome: { status: "completed" } });
    outage.isDown = true;
    const error = { _tag: "MemoryError", error: { _tag: "MemoryConnectionError", retryable: true } };
    expect(await turn("2")).toMatchObject({ outcome: { status: "error", error }, requests });
    back();
    expect(await spokenIn(primary)).toEqual(["1", "To 1."]);
    expect(await turn("3")).toMatchObject({ outcome: { status: "completed" } });
    expect(await spokenIn(primary)).toEqual(["1", "To 1.", "3", "To 3."]);
    expect(await spokenIn(fallback)).toEqual([]);
  },
);

async function spokenIn(store: VersionedMemoryProvider): Promise<readonly string[]> {
  const found = await store.getConversation("c");
  const messages = found.success ? (found.data?.messages ?? []) : [];
  return messages
    .filter(({ role, content }) => role !== "tool" && content !== "")
    .map(({ content }) => content);
}
