import { describe, expect, it } from "vitest";
import { killServerAtEveryCall } from "../support/killed-tree/every-call.ts";
import { ownClientUser, useChatUser } from "../support/killed-tree/users.ts";
import { openInMemory } from "../support/worlds.ts";

// `pnpm test:stress` kills the server at every call, on each store.
describe("a server of three agents in a tree, killed at every 14th call", () => {
  it.each([
    ["its own client", ownClientUser],
    ["useChat", useChatUser],
  ] as const)("loses nothing and runs no finished tool again: %s", async (_name, user) => {
    const { broken, died, calls } = await killServerAtEveryCall({ openWorld: openInMemory, user, every: 14 });
    expect(broken).toEqual([]);
    expect(died).toBeGreaterThan(calls / 14);
  });
});
