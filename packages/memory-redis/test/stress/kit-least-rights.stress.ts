import { describeMemoryProvider } from "@jaf/memory/testing";
import { describeUserMemory, describeUserMemoryBackend } from "@jaf/user-memory/testing";
import { createClient } from "redis";
import { beforeAll, inject } from "vitest";
import { connected } from "../support/clients.ts";
import { type LimitedUser, setUser } from "../support/rights.ts";
import { createStore } from "../support/stores.ts";
import { backendFactory, storeFactory } from "../support/user-memory.ts";

/** The kits with users that have only the rights in the README. */
beforeAll(async () => {
  const port = Number(new URL(inject("redisUrl")).port);
  for (const user of ["conversations", "facts"] as const) await setUser(port, user, { keyPrefix: "test:" });
});

const openAs = (username: LimitedUser) => () =>
  connected(createClient({ url: inject("redisUrl"), username, password: "password" }));

describeMemoryProvider({
  name: "redis, with the least rights",
  createStore: () => createStore(openAs("conversations")),
});
describeUserMemoryBackend("redis, with the least rights", backendFactory(openAs("facts")));
describeUserMemory("redis, with the least rights", storeFactory(openAs("facts")));
