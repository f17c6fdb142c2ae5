import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createInMemoryProvider, type InMemoryProvider, type WriteOptions } from "../../src/index.ts";
import { contents, expectError, expectInvalid, expectOk } from "../../src/testing/fixtures/expectations.ts";
import { answering, calling, hostile, users } from "../../src/testing/fixtures/messages.ts";

const UNOWNED = { createIfMissing: "unowned" } as const;

let provider: InMemoryProvider;
beforeEach(() => {
  provider = createInMemoryProvider();
});

const append = (texts: readonly string[], options: WriteOptions = {}, metadata = {}) =>
  provider.appendMessages("c", users(...texts), metadata, options);

const read = async (userId?: string) =>
  expectOk(await provider.readConversation("c", userId === undefined ? {} : { userId }));

async function state() {
  const { conversation } = await read();
  const { version, metadataVersion, nextPosition, totalMessages } = conversation?.metadata ?? {};
  return {
    version,
    metadataVersion,
    nextPosition,
    totalMessages,
    texts: contents(conversation?.messages ?? []),
  };
}

const expectConflict = (
  result: Awaited<ReturnType<typeof append>>,
  reason: string,
  actualVersion?: number,
) => {
  const error = expectError(result, "MemoryConflictError");
  expect([error.reason, error.actualVersion]).toEqual([reason, actualVersion]);
};

describe("versions and positions", () => {
  it("count changes of messages, not the messages", async () => {
    expectOk(await append(["1", "2", "3"], UNOWNED));
    expect(await state()).toMatchObject({ version: 1, nextPosition: 3, metadataVersion: 0 });
    expectOk(await append(["4"]));
    expect(await state()).toMatchObject({ version: 2, nextPosition: 4 });
    expectOk(await append([]));
    expect(await state()).toMatchObject({ version: 2, nextPosition: 4 });
    expectOk(await append(["5"], { maxMessages: 2 }));
    expect(await state()).toMatchObject({ version: 3, nextPosition: 5, totalMessages: 2 });
    expectOk(await append([], { maxMessages: 1 }));
    expect(await state()).toMatchObject({ version: 4, nextPosition: 5, totalMessages: 1 });
  });

  it("are 1 and 0 after a creation without messages", async () => {
    expectOk(await append([], UNOWNED));
    expect(await state()).toMatchObject({ version: 1, nextPosition: 0, metadataVersion: 0 });
  });

  it("increase with each replacement; positions continue", async () => {
    expectOk(await provider.storeMessages("c", users("1", "2")));
    expect(await state()).toMatchObject({ version: 1, metadataVersion: 1, nextPosition: 2 });
    expectOk(await provider.storeMessages("c", []));
    expect(await state()).toMatchObject({
      version: 2,
      metadataVersion: 2,
      nextPosition: 2,
      totalMessages: 0,
    });
    expectOk(await provider.storeMessages("c", users("3")));
    expect(await state()).toMatchObject({ version: 3, metadataVersion: 3, nextPosition: 3 });
  });

  it("allow one of two replacements with nothing", async () => {
    expectOk(await provider.storeMessages("c", users("1")));
    expectOk(await provider.storeMessages("c", [], {}, { expectedVersion: 1 }));
    const second = await provider.storeMessages("c", [], {}, { expectedVersion: 1 });
    expectConflict(second, "version", 2);
  });

  it("of metadata increase with each write of metadata, but not with an owner alone", async () => {
    expectOk(await append([], UNOWNED));
    expectOk(await append([], {}, { userId: "u" }));
    expect(await state()).toMatchObject({ version: 1, metadataVersion: 0 });
    expectOk(await append([], { expectedMetadataVersion: 0 }, { title: "a" }));
    expectConflict(await append([], { expectedMetadataVersion: 0 }, { title: "b" }), "metadata-version", 1);
    expectOk(await append(["1"], { expectedVersion: 1 }, { traceId: "t" }));
    expect(await state()).toMatchObject({ version: 2, metadataVersion: 2 });
  });

  it("are 0 for a missing conversation", async () => {
    expectConflict(await append([], { ...UNOWNED, expectedVersion: 1 }), "version", 0);
    expectConflict(await append([], { ...UNOWNED, expectedMetadataVersion: 1 }), "metadata-version", 0);
    expectOk(await append([], { ...UNOWNED, expectedVersion: 0, expectedMetadataVersion: 0 }));
  });
});

describe("createIfMissing", () => {
  it("is required for an append that creates a conversation", async () => {
    expectError(await append(["1"]), "MemoryNotFoundError");
    expectError(await append(["1"], { createIfMissing: false }), "MemoryNotFoundError");
    expectError(await append([], { expectedVersion: 0 }), "MemoryNotFoundError");
    expect(expectOk(await provider.getConversation("c"))).toBeNull();
  });

  it("requires the owner, unless it is unowned", async () => {
    await expectInvalid(() => append(["1"], { createIfMissing: true }), "metadata.userId");
    expectOk(await append(["1"], { createIfMissing: true }, { userId: "u" }));
    expect((await read()).conversation?.userId).toBe("u");
    expectOk(await append(["2"], UNOWNED));
    expect((await read()).conversation?.userId).toBe("u");
  });

  it("is refused by storeMessages, like dropLast", async () => {
    for (const options of [{ createIfMissing: true }, { createIfMissing: false }, { dropLast: 0 }] as const) {
      const [field] = Object.keys(options);
      await expectInvalid(
        () => provider.storeMessages("c", [], { userId: "u" }, options),
        `options.${field}`,
      );
    }
  });
});

describe("dropLast", () => {
  it("replaces the end and reuses its positions", async () => {
    expectOk(await append(["1", "2", "3"], UNOWNED));
    expectOk(await append(["b", "c"], { dropLast: 2 }));
    expect(await state()).toMatchObject({ version: 2, nextPosition: 3, texts: ["1", "b", "c"] });
    expectOk(await append([], { dropLast: 3 }));
    expect(await state()).toMatchObject({ version: 3, nextPosition: 0, texts: [] });
    expectOk(await append([], { dropLast: 0 }));
    expect(await state()).toMatchObject({ version: 3 });
  });

  it("is a conflict if there are fewer messages, even after a trim", async () => {
    expectConflict(await append([], { ...UNOWNED, dropLast: 1 }), "length");
    expectOk(await append(["1", "2", "3"], { ...UNOWNED, maxMessages: 2 }));
    expectConflict(await append(["4"], { dropLast: 3 }), "length");
    expect(await state()).toMatchObject({ version: 1, texts: ["2", "3"] });
  });

  it("allows one of two pops with the same version", async () => {
    expectOk(await append(["1", "2"], UNOWNED));
    const pops = await Promise.all([1, 2].map(() => append([], { dropLast: 1, expectedVersion: 1 })));
    expect(pops.filter(({ success }) => success)).toHaveLength(1);
    expect(await state()).toMatchObject({ version: 2, texts: ["1"] });
  });
});

describe("messageIds", () => {
  it("skip a message that is already stored", async () => {
    expectOk(await append(["1", "2"], { ...UNOWNED, messageIds: ["a", null] }));
    expectOk(await append(["1", "3"], { messageIds: ["a", "b"] }));
    expect(await state()).toMatchObject({ version: 2, nextPosition: 3, texts: ["1", "2", "3"] });
    expectOk(await append(["3", "1"], { messageIds: ["b", "a"] }));
    expect(await state()).toMatchObject({ version: 2, nextPosition: 3 });
  });

  it("compare the message's content, not the order of its fields", async () => {
    const options = { messageIds: ["a"] };
    const first = { role: "user", content: "1", meta: { x: 1, y: [2] } };
    const again = { meta: { y: [2], x: 1 }, content: "1", role: "user" };
    expectOk(await provider.storeMessages("c", [hostile(first)], {}, options));
    expectOk(await provider.appendMessages("c", [hostile(again)], {}, options));
    expect(await state()).toMatchObject({ version: 1, totalMessages: 1 });
    const other = { ...first, meta: { x: 1, y: 2 } };
    expectConflict(await provider.appendMessages("c", [hostile(other)], {}, options), "message-id");
  });

  it("are a conflict with other content, in the store and in the batch, and nothing is written", async () => {
    expectOk(await append(["1"], { ...UNOWNED, messageIds: ["a"] }));
    expectConflict(await append(["x", "2"], { messageIds: [null, "a"] }, { title: "t" }), "message-id");
    expectConflict(await append(["2", "3"], { messageIds: ["b", "b"] }), "message-id");
    expectOk(await append(["2", "2"], { messageIds: ["b", "b"] }));
    expect(await state()).toMatchObject({ version: 2, metadataVersion: 0, texts: ["1", "2"] });
  });

  it("are free again after their message is removed", async () => {
    expectOk(await append(["1", "2"], { ...UNOWNED, messageIds: ["a", "b"] }));
    expectOk(await append(["other"], { dropLast: 1, messageIds: ["b"] }));
    expectOk(await append(["3"], { maxMessages: 2, messageIds: ["c"] }));
    expectOk(await append(["not 1"], { messageIds: ["a"] }));
    expect((await state()).texts).toEqual(["other", "3", "not 1"]);
    expectOk(await provider.storeMessages("c", users("new"), {}, { messageIds: ["b"] }));
    expect((await state()).texts).toEqual(["new"]);
  });

  it("are free for messages that the same write drops, but not for earlier ones", async () => {
    expectOk(await append(["1", "2"], { ...UNOWNED, messageIds: ["a", "b"] }));
    expectConflict(await append(["x"], { dropLast: 1, messageIds: ["a"] }), "message-id");
    expectOk(await append(["2", "1"], { dropLast: 1, messageIds: ["b", "a"] }));
    expect(await state()).toMatchObject({ version: 2, texts: ["1", "2"] });
  });

  it.each([
    ["too few", ["a"]],
    ["too many", ["a", "b", "c"]],
    ["no list", "ab"],
    ["null", null],
    ["an empty id", ["a", ""]],
    ["a number", ["a", 5]],
    ["NUL", ["a", "\0"]],
    ["too long", ["a", "x".repeat(256)]],
  ])("are refused if they are %s", async (_, messageIds) => {
    const error = expectError(
      await append(["1", "2"], { ...UNOWNED, messageIds: hostile(messageIds) }),
      "MemoryValidationError",
    );
    expect(error.issues.map(({ path }) => path)[0]).toMatch(/^options\.messageIds(\[1\])?$/);
  });

  it("don't hide other issues of a message", async () => {
    const call = () => provider.storeMessages("c", [hostile({ role: "x" })], {}, { messageIds: ["a"] });
    await expectInvalid(call, "messages[0].role");
  });
});

describe("incarnations", () => {
  it("last from creation to deletion", async () => {
    expectOk(await append(["1"], UNOWNED));
    const { incarnation, conversation } = await read();
    expect(conversation?.metadata?.incarnation).toBe(incarnation);
    expectOk(await append(["2"], { expectedIncarnation: incarnation }));
    expectOk(await provider.storeMessages("c", [], {}, { expectedIncarnation: incarnation }));
    expect((await read()).incarnation).toBe(incarnation);
    expectOk(await provider.deleteConversation("c"));
    expectConflict(await append(["3"], { ...UNOWNED, expectedIncarnation: incarnation }), "incarnation");
    expectOk(await append(["4"], UNOWNED));
    expect((await read()).incarnation).not.toBe(incarnation);
    expectConflict(await append(["5"], { expectedIncarnation: incarnation }), "incarnation");
    expect((await state()).texts).toEqual(["4"]);
  });

  it("of a missing conversation are valid until something is created or erased", async () => {
    const { incarnation } = await read();
    expect(await read()).toMatchObject({ incarnation });
    expectOk(await append(["1"], { ...UNOWNED, expectedIncarnation: incarnation }));
    expectConflict(await append(["2"], { expectedIncarnation: incarnation }), "incarnation");
    expectOk(await provider.deleteConversation("c"));
    expectConflict(await append(["3"], { ...UNOWNED, expectedIncarnation: incarnation }), "incarnation");
  });

  it("of a missing conversation detect each deletion, even of nothing", async () => {
    const first = (await read()).incarnation;
    expect(expectOk(await provider.deleteConversation("c"))).toBe(false);
    const second = (await read()).incarnation;
    expectOk(await provider.deleteConversation("c"));
    for (const expectedIncarnation of [first, second]) {
      expectConflict(await append(["1"], { ...UNOWNED, expectedIncarnation }), "incarnation");
    }
    expectOk(await append(["1"], { ...UNOWNED, expectedIncarnation: (await read()).incarnation }));
  });

  it("of a missing conversation detect the user's clearing, if they were read for that user", async () => {
    const forUser = (await read("u")).incarnation;
    const forOther = (await read("other")).incarnation;
    expect(expectOk(await provider.clearUserConversations("u"))).toBe(0);
    const create = (userId: string, expectedIncarnation: string) =>
      append(["1"], { createIfMissing: true, expectedIncarnation }, { userId });
    expectConflict(await create("u", forUser), "incarnation");
    expectOk(await create("other", forOther));
    expectOk(await provider.clearUserConversations("other"));
    expectConflict(await create("other", forOther), "incarnation");
  });

  it("detect a clearing of the user for each of its conversations", async () => {
    expectOk(await append(["1"], { createIfMissing: true }, { userId: "u" }));
    const { incarnation } = await read();
    const absent = expectOk(await provider.readConversation("d")).incarnation;
    expect(expectOk(await provider.clearUserConversations("u"))).toBe(1);
    expectConflict(await append(["2"], { ...UNOWNED, expectedIncarnation: incarnation }), "incarnation");
    const elsewhere = { ...UNOWNED, expectedIncarnation: absent };
    expectOk(await provider.appendMessages("d", users("x"), {}, elsewhere));
  });

  it.each(["", "none:", "none:a", "none:a:b:c", "none:é:", `none:${"x".repeat(65)}:`, "\0", 5, null, {}])(
    "refuse what no read can have given: %j",
    async (expectedIncarnation) => {
      const call = () => append([], { ...UNOWNED, expectedIncarnation: hostile(expectedIncarnation) });
      await expectInvalid(call, "options.expectedIncarnation");
    },
  );

  describe("over time", () => {
    beforeEach(() => void vi.useFakeTimers({ toFake: ["Date"], now: 0 }));
    afterEach(() => void vi.useRealTimers());

    it("detect an erasure for 24 hours", async () => {
      const { incarnation } = await read("u");
      expectOk(await provider.deleteConversation("c"));
      vi.setSystemTime(1);
      expectOk(await provider.clearUserConversations("u"));
      const create = () =>
        append([], { createIfMissing: true, expectedIncarnation: incarnation }, { userId: "u" });
      vi.setSystemTime(24 * 3_600_000);
      expectConflict(await create(), "incarnation");
      vi.setSystemTime(24 * 3_600_000 + 1);
      expectOk(await create());
    });

    it("end when the conversation expires", async () => {
      expectOk(await append(["1"], { ...UNOWNED, ttlSeconds: 1 }));
      const { incarnation } = await read();
      vi.setSystemTime(1_000);
      expectConflict(await append(["2"], { ...UNOWNED, expectedIncarnation: incarnation }), "incarnation");
      expectOk(await append(["2"], UNOWNED));
      expect((await read()).incarnation).not.toBe(incarnation);
    });
  });
});

describe("the idempotency key", () => {
  const KEYED = { ...UNOWNED, idempotencyKey: "k" } as const;

  it("covers the whole write", async () => {
    const said = { ...KEYED, maxMessages: 9, ttlSeconds: 9, messageIds: ["a"] };
    expectOk(await append(["1"], said, { userId: "u", title: "t" }));
    expectOk(await append(["1"], said, { userId: "u", title: "t" }));
    const others: readonly (readonly [readonly string[], WriteOptions, object])[] = [
      [["2"], said, { userId: "u", title: "t" }],
      [["1"], said, { userId: "u", title: "other" }],
      [["1"], said, { userId: "u" }],
      [["1"], said, { title: "t" }],
      [["1"], said, { userId: "u", title: "t", traceId: "t" }],
      [["1"], { ...said, dropLast: 1 }, { userId: "u", title: "t" }],
      [["1"], { ...said, maxMessages: 8 }, { userId: "u", title: "t" }],
      [["1"], { ...said, ttlSeconds: 8 }, { userId: "u", title: "t" }],
      [["1"], { ...said, messageIds: ["b"] }, { userId: "u", title: "t" }],
      [["1"], { ...said, messageIds: [null] }, { userId: "u", title: "t" }],
    ];
    for (const [texts, options, metadata] of others) {
      expectConflict(await append(texts, options, metadata), "idempotency-key");
    }
    const store = await provider.storeMessages("c", users("1"), {}, { idempotencyKey: "k" });
    expectConflict(store, "idempotency-key");
    expect(await state()).toMatchObject({ version: 1, texts: ["1"] });
  });

  it("doesn't cover expectations, which may change in a retry", async () => {
    const metadata = { userId: "u", b: 1, a: [{ y: 1 }] };
    expectOk(await append(["1"], { ...KEYED, expectedVersion: 0 }, metadata));
    const { incarnation } = await read();
    const options = { idempotencyKey: "k", expectedIncarnation: incarnation, expectedMetadataVersion: 5 };
    expectOk(await append(["1"], options, { a: [{ y: 1 }], b: 1, userId: "u" }));
    expect((await state()).texts).toEqual(["1"]);
  });

  it("is checked after the owner and before everything else", async () => {
    expectOk(await append(["1"], KEYED, { userId: "u" }));
    expectConflict(await append(["1"], KEYED, { userId: "other" }), "owner");
    const late = { idempotencyKey: "k", expectedVersion: 9, expectedIncarnation: "gone" };
    expectOk(await append(["1"], late, { userId: "u" }));
    expectConflict(await append(["2"], late, { userId: "u" }), "idempotency-key");
  });

  it("isn't kept for a refused write", async () => {
    expectConflict(await append(["1"], { ...KEYED, expectedVersion: 4 }), "version", 0);
    expectConflict(await append(["1"], { ...KEYED, dropLast: 1 }), "length");
    expectOk(await append(["2"], KEYED));
  });
});

describe("the order of the checks", () => {
  it("is owner, incarnation, version, metadata version, existence, length, message ids", async () => {
    expectOk(await append(["1"], { ...UNOWNED, messageIds: ["a"] }, { userId: "u" }));
    const wrong = {
      expectedIncarnation: "gone",
      expectedVersion: 9,
      expectedMetadataVersion: 9,
      dropLast: 9,
      messageIds: ["a"],
    };
    const { expectedIncarnation: _, ...noIncarnation } = wrong;
    const { expectedVersion: _1, ...noVersion } = noIncarnation;
    const { expectedMetadataVersion: _2, ...noMetadata } = noVersion;
    const { dropLast: _3, ...idsAlone } = noMetadata;
    expectConflict(await append(["x"], wrong, { userId: "v" }), "owner");
    expectConflict(await append(["x"], wrong), "incarnation");
    expectConflict(await append(["x"], noIncarnation), "version", 1);
    expectConflict(await append(["x"], noVersion), "metadata-version", 0);
    expectConflict(await append(["x"], noMetadata), "length");
    expectConflict(await append(["x"], idsAlone), "message-id");
    const missing = (options: WriteOptions) => provider.appendMessages("d", users("x"), {}, options);
    expectConflict(await missing(wrong), "incarnation");
    expectConflict(await missing(noIncarnation), "version", 0);
    expectError(await missing(noMetadata), "MemoryNotFoundError");
  });
});

describe("a trim", () => {
  it("removes ids, and keeps a call with its results, counted in positions", async () => {
    const messages = [...users("1"), calling("a"), answering("a")];
    expectOk(
      await provider.storeMessages("c", messages, {}, { messageIds: ["x", "y", "z"], maxMessages: 1 }),
    );
    expect(await state()).toMatchObject({ totalMessages: 2, nextPosition: 3, version: 1 });
    expectOk(await append(["1"], { messageIds: ["x"] }));
    expect(await state()).toMatchObject({ totalMessages: 3, nextPosition: 4 });
  });
});

describe("metadata", () => {
  it("accept NUL and unpaired surrogates, even in keys, like messages", async () => {
    const metadata = { "\0k": "\0", "\ud800": ["\udfff", { "": "\ud83d" }] };
    expectOk(await append(["\0\ud800"], UNOWNED, metadata));
    const { conversation } = await read();
    expect(conversation?.metadata).toMatchObject(metadata);
    expect(contents(conversation?.messages ?? [])).toEqual(["\0\ud800"]);
  });

  it.each(["version", "metadataVersion", "nextPosition", "incarnation", "totalMessages", "createdAt"])(
    "ignore the store's own %s",
    async (field) => {
      expectOk(await append([], UNOWNED, { [field]: "forged" }));
      expect(await state()).toMatchObject({ version: 1, metadataVersion: 0 });
      expect((await read()).conversation?.metadata?.[field]).not.toBe("forged");
    },
  );
});

describe("invalid options", () => {
  it.each([
    ["createIfMissing", "owned"],
    ["createIfMissing", null],
    ["createIfMissing", 1],
    ["dropLast", -1],
    ["dropLast", 1.5],
    ["dropLast", "1"],
    ["dropLast", Number.NaN],
    ["dropLast", null],
    ["expectedMetadataVersion", -1],
    ["expectedMetadataVersion", null],
    ["expectedMetadataVersion", 2 ** 53],
    ["expectedVersion", -1],
  ])("%s = %j is refused, and nothing is written", async (field, value) => {
    const options = { ...UNOWNED, [field]: value } as WriteOptions;
    await expectInvalid(() => append(["1"], options, { userId: "u" }), `options.${field}`);
    expect((await read()).conversation).toBeNull();
  });
});
