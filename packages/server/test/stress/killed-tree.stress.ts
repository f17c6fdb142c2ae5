import { describe, expect, it } from "vitest";
import { killServerAtEveryCall } from "../support/killed-tree/every-call.ts";
import { ownClientUser, useChatUser } from "../support/killed-tree/users.ts";
import { realWorlds } from "../support/real-worlds.ts";
import { openInMemory } from "../support/worlds.ts";

const users = [
  ["its own client", ownClientUser],
  ["useChat", useChatUser],
] as const;

describe.each([["memory", openInMemory] as const, ...realWorlds])(
  "a server of three agents in a tree, killed at every call, on %s",
  (_store, openWorld) => {
    it.each(users)(
      "loses nothing and runs no finished tool again: %s",
      { timeout: 240_000 },
      async (_name, user) => {
        const { broken, died, calls } = await killServerAtEveryCall({ openWorld, user });
        expect(broken).toEqual([]);
        expect(died).toBeGreaterThan(calls / 2);
      },
    );
  },
);
