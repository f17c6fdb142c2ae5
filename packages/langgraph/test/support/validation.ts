import type { BaseCheckpointSaver } from "@langchain/langgraph-checkpoint";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";

/** A checkpointer with a store of its own. */
export interface OpenSaver {
  readonly saver: BaseCheckpointSaver;
  readonly close: () => Promise<unknown>;
}

/** Registers all tests of LangGraph's own suite for checkpointers. */
export async function validateSaver(name: string, open: () => Promise<OpenSaver>): Promise<void> {
  // The suite takes vitest's functions from the global object.
  const functions = { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it };
  const before = Object.fromEntries(Object.keys(functions).map((key) => [key, Reflect.get(globalThis, key)]));
  Object.assign(globalThis, functions);
  afterAll(() => void Object.assign(globalThis, before));
  const { deltaChannelHistoryTests, validate } = await import("@langchain/langgraph-checkpoint-validation");
  const closers = new Map<BaseCheckpointSaver, OpenSaver["close"]>();
  const initializer = {
    checkpointerName: name,
    createCheckpointer: async () => {
      const { saver, close } = await open();
      closers.set(saver, close);
      return saver;
    },
    destroyCheckpointer: async (saver: BaseCheckpointSaver) => void (await closers.get(saver)?.()),
  };
  validate(initializer);
  deltaChannelHistoryTests(initializer);
}
