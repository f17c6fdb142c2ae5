import { expect } from "vitest";
import { UserMemoryError } from "../../../errors.ts";
import { texts } from "../expectations.ts";
import type { StoreSpec } from "../spec.ts";

export const closing: StoreSpec = {
  subject: "drain and close",
  rules: {
    "resolve immediately if no work is running": async ({ open, user }) => {
      const { memory } = await open();
      await memory.drain();
      await memory.drain({ timeoutMs: 1 });
      await memory.remember(user, "Likes tea");
      expect(texts(await memory.list(user))).toEqual(["Likes tea"]);
    },

    "can be called again, and later calls succeed or reject with a UserMemoryError": async (scenario) => {
      const { memory } = await scenario.open();
      await memory.close();
      await memory.close();
      const calls = [memory.recall(scenario.user, "tea"), memory.remember(scenario.user, "Likes tea")];
      for (const call of calls) {
        const thrown: unknown = await call.then(
          () => undefined,
          (error: unknown) => error,
        );
        // A connection that the store didn't open stays open.
        if (thrown !== undefined) expect(thrown).toBeInstanceOf(UserMemoryError);
        if (thrown instanceof UserMemoryError)
          expect(thrown).toMatchObject({ code: "unavailable", retryable: false });
      }
    },

    "don't affect a store with another connection": async ({ open, user }) => {
      const store = await open();
      const second = await store.another?.();
      if (second === undefined) return;
      await second.remember(user, "Likes tea");
      await second.close();
      expect(texts(await store.memory.list(user))).toEqual(["Likes tea"]);
    },
  },
};
