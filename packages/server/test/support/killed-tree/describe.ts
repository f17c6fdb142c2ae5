import { describe, expect, it } from "vitest";
import type { OpenWorld } from "../worlds.ts";
import { killServerAtEveryCall } from "./every-call.ts";
import { ownClientUser, useChatUser } from "./users.ts";

/** Describes what must hold wherever a server of three agents dies. Each store has a file, since each takes minutes. */
export function describeKilledTree(store: string, openWorld: OpenWorld): void {
  describe(`a server of three agents in a tree, killed at any call, on ${store}`, () => {
    it.each([
      ["its own client", ownClientUser],
      ["useChat", useChatUser],
    ] as const)(
      "loses nothing and runs no finished tool again: %s",
      { timeout: 360_000 },
      async (_name, user) => {
        const { broken, died, calls } = await killServerAtEveryCall({ openWorld, user, parallel: 6 });
        expect(broken).toEqual([]);
        expect(died).toBeGreaterThan(calls / 2);
      },
    );
  });
}
