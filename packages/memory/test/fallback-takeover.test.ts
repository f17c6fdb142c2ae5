// What another user can do with a conversation's id while its owner is not known, and what becomes of it.
import { expect, it } from "vitest";
import { expectError, expectOk, readContents } from "../src/testing/expectations.ts";
import { users } from "../src/testing/messages.ts";
import { setUp } from "./support/outage.ts";

const CREATE = { createIfMissing: true } as const;

it("gives a conversation back to its owner that another user took in the fallback", async () => {
  const { provider, primary, outage, down } = setUp({ writes: "fallback" });
  expectOk(await provider.appendMessages("c", users("a1"), { userId: "alice" }, CREATE));
  outage.error = down;
  expectOk(await provider.appendMessages("c", users("m1"), { userId: "mallory" }, CREATE));
  outage.error = undefined;
  expect(await readContents(provider, "c")).toEqual(["a1"]);
  expectOk(await provider.appendMessages("c", users("a2"), { userId: "alice" }));
  const refused = await provider.appendMessages("c", users("m2"), { userId: "mallory" });
  expect(expectError(refused, "MemoryConflictError").reason).toBe("owner");
  expect(await readContents(primary, "c")).toEqual(["a1", "a2"]);
});

it("replays on the primary what was written to the fallback, in order and once", async () => {
  const { provider, primary, fallback, outage, down } = setUp({ writes: "fallback" });
  expectOk(await provider.appendMessages("c", users("1"), { userId: "alice" }, CREATE));
  outage.error = down;
  expectOk(await provider.appendMessages("c", users("2"), { userId: "alice" }, CREATE));
  expectOk(await provider.appendMessages("c", users("3"), { userId: "alice" }));
  outage.error = undefined;
  expect(await readContents(provider, "c")).toEqual(["1", "2", "3"]);
  expect(await readContents(primary, "c")).toEqual(["1", "2", "3"]);
  expect(expectOk(await fallback.getConversation("c"))).toBeNull();
});
