import { inspect } from "node:util";
import { afterEach, describe, expect, it, vi } from "vitest";
import {
  createInMemoryProvider,
  createMemoryProvider,
  createMemoryStorageError,
  createSimpleMemoryProvider,
  MemorySetupError,
  registerMemoryAdapter,
} from "../../src/index.ts";
import { expectOk } from "../../src/testing/fixtures/expectations.ts";
import { users } from "../../src/testing/fixtures/messages.ts";
import { notesAdapter } from "./notes-adapter.ts";

const undo: (() => void)[] = [];
afterEach(() => {
  for (const unregister of undo.splice(0)) unregister();
});

function registerNotes() {
  const opened = vi.fn();
  undo.push(registerMemoryAdapter(notesAdapter(opened)));
  return opened;
}

describe("createMemoryProvider", () => {
  it("opens the built-in provider with its limits", async () => {
    const provider = await createMemoryProvider({ type: "memory", maxConversations: 1 });
    const evicted = vi.fn();
    provider.on("conversation_evicted", evicted);
    expectOk(await provider.storeMessages("a", users("1")));
    expectOk(await provider.storeMessages("b", users("1")));
    expect(evicted).toHaveBeenCalledExactlyOnceWith("a");
  });

  it("passes the checked configuration and the client of its type to a registered adapter", async () => {
    const opened = registerNotes();
    const client = { name: "mine" };
    await createMemoryProvider({ type: "notes", folder: "abc" }, { notes: client, other: {} });
    await createMemoryProvider({ type: "notes", folder: "abc" });
    expect(opened.mock.calls).toEqual([
      [{ type: "notes", folder: "abc", port: 7 }, client],
      [{ type: "notes", folder: "abc", port: 7 }, undefined],
    ]);
  });

  it("treats null as no clients", async () => {
    await expect(createMemoryProvider({ type: "memory" }, null as never)).resolves.toBeDefined();
  });

  it("ignores inherited properties of the clients", async () => {
    const opened = vi.fn();
    undo.push(registerMemoryAdapter({ ...notesAdapter(opened), type: "constructor" }));
    const adapterConfig = { type: "constructor", folder: "abc" } as const;
    await expect(createMemoryProvider(adapterConfig)).rejects.toThrow("type");
    expect(opened).not.toHaveBeenCalled();
  });

  it("names each invalid field without its value", async () => {
    registerNotes();
    const config = { type: "notes", folder: "s3cret", port: "s3cret", passwort: "s3cret" };
    const failure: unknown = await createMemoryProvider(config).catch((thrown: unknown) => thrown);
    expect(failure).toBeInstanceOf(TypeError);
    expect(String(failure)).toContain("port: expected number");
    expect(String(failure)).toContain("passwort: expected no such field");
    expect(String(failure)).not.toContain("s3cret");
  });

  it.each([
    undefined,
    null,
    "redis",
    [],
    {},
    { type: 5 },
    { type: "../../x" },
    { type: "Redis" },
    { type: "node:fs" },
    { type: "a/b" },
  ])("refuses %j without importing anything", async (config) => {
    await expect(createMemoryProvider(config as never)).rejects.toThrow(TypeError);
  });

  it("says what to install if there is no such adapter", async () => {
    const failure: unknown = await createMemoryProvider({ type: "nowhere" }).catch((e: unknown) => e);
    expect(failure).toBeInstanceOf(MemorySetupError);
    expect(String(failure)).toContain("npm install @jaf/memory-nowhere");
    expect(String(failure)).toContain("jaf-memory-nowhere");
    expect(String(failure)).toContain("registerMemoryAdapter");
  });

  it("passes on an adapter's setup error, even from another copy of this package", async () => {
    const error = createMemoryStorageError("connect", "the disk is full");
    const foreign = Object.assign(new Error(error.message), { name: "MemorySetupError", error });
    for (const thrown of [new MemorySetupError(error), foreign]) {
      const unregister = registerMemoryAdapter({
        ...notesAdapter(),
        create: () => Promise.reject(thrown),
      });
      undo.push(unregister);
      const failure: unknown = await createMemoryProvider({ type: "notes", folder: "abc" }).catch(
        (rejected: unknown) => rejected,
      );
      expect(failure).toBeInstanceOf(MemorySetupError);
      expect(failure).toMatchObject({ error });
      unregister();
    }
  });
});

describe("an adapter that misbehaves", () => {
  const openNotes = (change: Partial<ReturnType<typeof notesAdapter>>): Promise<unknown> => {
    undo.push(registerMemoryAdapter({ ...notesAdapter(), ...change }));
    return createMemoryProvider({ type: "notes", folder: "abc" }).catch((thrown: unknown) => thrown);
  };
  const withUrl = Object.assign(new TypeError("Invalid URL"), { code: "ERR_INVALID_URL", input: "s3cret" });

  it.each([new Error("s3cret"), "s3cret", withUrl])(
    "is a setup error that quotes nothing of %s",
    async (thrown) => {
      const failure = await openNotes({ create: () => Promise.reject(thrown) });
      expect(failure).toBeInstanceOf(MemorySetupError);
      expect(String(failure)).toContain('adapter of type "notes" threw while it opened its provider');
      expect(inspect(failure, { depth: 9 })).not.toContain("s3cret");
    },
  );

  it("can refuse a client with a TypeError", async () => {
    const refusal = new TypeError("client: expected a connection");
    expect(await openNotes({ create: () => Promise.reject(refusal) })).toBe(refusal);
  });

  it.each([undefined, null, 5])("causes a setup error if it returns %s as the provider", async (given) => {
    const failure = await openNotes({ create: () => given as never });
    expect(failure).toBeInstanceOf(MemorySetupError);
    expect(String(failure)).toContain("returned no provider");
  });

  it("causes a setup error if its schema throws", async () => {
    const configSchema = notesAdapter().configSchema.transform((): never => {
      throw new Error("s3cret");
    });
    const failure = await openNotes({ configSchema });
    expect(failure).toBeInstanceOf(MemorySetupError);
    expect(inspect(failure, { depth: 9 })).not.toContain("s3cret");
  });
});

it("causes the same error format for an invalid configuration", async () => {
  const direct = () => createInMemoryProvider({ maxConversations: 0 });
  expect(direct).toThrow(TypeError);
  expect(direct).toThrow(
    "Invalid in-memory provider configuration: maxConversations: expected number to be >=1.",
  );
  const created = createMemoryProvider({ type: "memory", maxConversations: 0 });
  await expect(created).rejects.toThrow(
    "Invalid memory provider configuration: maxConversations: expected number to be >=1.",
  );
});

describe("createSimpleMemoryProvider", () => {
  it("only requires the type", async () => {
    const provider = await createSimpleMemoryProvider("memory");
    expect(expectOk(await provider.healthCheck()).healthy).toBe(true);
    expect(Object.keys(provider)).toEqual(Object.keys(createInMemoryProvider()));
  });

  it("accepts a client and a configuration", async () => {
    const opened = registerNotes();
    const client = { name: "mine" };
    await createSimpleMemoryProvider("notes", client, { folder: "abc", port: 8 });
    expect(opened).toHaveBeenCalledExactlyOnceWith({ type: "notes", folder: "abc", port: 8 }, client);
  });

  it("names an invalid field", async () => {
    const config = { maxConversations: 0 };
    await expect(createSimpleMemoryProvider("memory", undefined, config)).rejects.toThrow("maxConversations");
  });
});
