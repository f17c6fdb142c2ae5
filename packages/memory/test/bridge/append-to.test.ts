import { createInMemoryProvider, MemoryCallError, type RichMessage } from "@jaf/memory";
import { appendTo, isConflict, look, writeTo } from "@jaf/memory/internal";
import { expect, it } from "vitest";

const said = (content: string) => ({ messages: [{ role: "user", content }] satisfies RichMessage[] });

function open(userId?: string) {
  const provider = createInMemoryProvider();
  const place = { provider, conversationId: "conv-1", userId };
  const stored = async () => {
    const found = await provider.getConversation("conv-1");
    return found.success ? found.data?.messages.map(({ content }) => content) : undefined;
  };
  return { provider, place, stored };
}

const thrownBy = (call: Promise<unknown>): Promise<unknown> =>
  call.then(
    () => undefined,
    (error: unknown) => error,
  );

it.each([undefined, "ada"])("creates a conversation and appends to it (user: %s)", async (user) => {
  const { place, stored } = open(user);
  const created = await appendTo(place, undefined, said("1"));
  expect(await look(place)).toMatchObject({ exists: true, incarnation: created.incarnation });
  expect((await appendTo(place, created, said("2"))).receipt?.version).toBe(2);
  expect((await writeTo(place, created, { ...said("3"), dropLast: 1 })).receipt?.nextPosition).toBe(2);
  expect(await stored()).toEqual(["1", "3"]);
});

it("appends what several first writers write, each once", async () => {
  const { place, stored } = open("ada");
  const missing = await look(place);
  const texts = Array.from({ length: 20 }, (_, index) => `${index}`);
  const written = await Promise.all(
    texts.map((text, index) => appendTo(place, index % 2 === 0 ? missing : undefined, said(text))),
  );
  expect((await stored())?.toSorted()).toEqual(texts.toSorted());
  expect(new Set(written.map(({ incarnation }) => incarnation)).size).toBe(1);
});

it("writes nothing to a conversation that another writer has created, if it may not append", async () => {
  const { place, stored } = open("ada");
  const missing = await look(place);
  await writeTo(place, missing, said("1"));
  expect(isConflict(await thrownBy(writeTo(place, missing, said("2"))), "version", "incarnation")).toBe(true);
  expect(await stored()).toEqual(["1"]);
});

it("never brings back an erased conversation", async () => {
  const { provider, place, stored } = open("ada");
  const missing = await look(place);
  const seen = await appendTo(place, missing, said("1"));
  await provider.clearUserConversations("ada");
  for (const before of [missing, seen]) {
    const error = await thrownBy(appendTo(place, before, said("late")));
    expect(isConflict(error, "incarnation")).toBe(true);
    expect(isConflict(error, "version", "owner")).toBe(false);
  }
  expect(await stored()).toBeUndefined();
});

it("stores nothing from before an erasure in a conversation that was created after it", async () => {
  const { provider, place, stored } = open("ada");
  const missing = await look(place);
  await provider.clearUserConversations("ada");
  await appendTo(place, undefined, said("new"));
  expect(isConflict(await thrownBy(appendTo(place, missing, said("late"))), "incarnation")).toBe(true);
  expect(await stored()).toEqual(["new"]);
});

it("doesn't write to another user's conversation", async () => {
  const { place, stored } = open("ada");
  await appendTo(place, undefined, said("1"));
  const bobs = { ...place, userId: "bob" };
  expect(await look(bobs)).toMatchObject({ exists: false });
  expect(await thrownBy(appendTo(bobs, undefined, said("2")))).toBeInstanceOf(MemoryCallError);
  expect(await stored()).toEqual(["1"]);
});

it("looks again for the incarnation if the answer to the first write was lost", async () => {
  const { provider, place, stored } = open("ada");
  const appendMessages: typeof provider.appendMessages = async (...given) => {
    await provider.appendMessages(...given);
    return provider.appendMessages(...given);
  };
  const twice = { ...place, provider: { ...provider, appendMessages } };
  const { incarnation, receipt } = await appendTo(twice, undefined, said("1"));
  expect(receipt).toBeUndefined();
  expect(await look(place)).toMatchObject({ exists: true, incarnation });
  expect(await stored()).toEqual(["1"]);
});

it("refuses a first write whose answer was lost if the conversation was erased since", async () => {
  const { provider, place } = open("ada");
  const appendMessages: typeof provider.appendMessages = async (...given) => {
    await provider.appendMessages(...given);
    await provider.clearUserConversations("ada");
    return { success: true, data: undefined };
  };
  const lost = appendTo({ ...place, provider: { ...provider, appendMessages } }, undefined, said("1"));
  expect(isConflict(await thrownBy(lost), "incarnation")).toBe(true);
});

it("throws a MemoryCallError if the provider rejects", async () => {
  const { provider, place } = open();
  const failing = { ...provider, appendMessages: () => Promise.reject(new Error("reset")) };
  const error = await thrownBy(appendTo({ ...place, provider: failing }, undefined, said("1")));
  expect(error).toMatchObject({ memoryError: { _tag: "MemoryStorageError" } });
  expect(isConflict(error, "version")).toBe(false);
});
