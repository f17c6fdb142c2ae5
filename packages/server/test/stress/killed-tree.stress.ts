import { describe, expect, it } from "vitest";
import { killServerAtEveryCall } from "../support/killed-tree/every-call.ts";
import { ownClientUser, useChatUser } from "../support/killed-tree/users.ts";
import { realWorlds } from "../support/real-worlds.ts";
import { openInMemory } from "../support/worlds.ts";

const users = [
  ["its own client", ownClientUser],
  ["useChat", useChatUser],
] as const;

// Each trial has tables or keys of its own, so the real stores get fewer trials.
const stores = [
  ["memory", openInMemory, { every: 1, parallel: 12 }] as const,
  ...realWorlds.map(([name, open]) => [name, open, { every: 3, parallel: 6 }] as const),
];

describe.each(stores)(
  "a server of three agents in a tree, killed at any call, on %s",
  (_store, openWorld, pace) => {
    it.each(users)(
      "loses nothing and runs no finished tool again: %s",
      { timeout: 240_000 },
      async (_name, user) => {
        const { broken, died, calls } = await killServerAtEveryCall({ openWorld, user, ...pace });
        expect(broken).toEqual([]);
        expect(died).toBeGreaterThan(calls / pace.every / 2);
      },
    );
  },
);
