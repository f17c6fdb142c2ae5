import { copyFile, readdir, readFile, stat, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import type { MemoryProvider } from "@jaf/memory";
import { expect, test } from "vitest";
import { logName, TOMBSTONES_NAME } from "../src/logs.ts";
import { said, say, UNOWNED } from "./support/messages.ts";
import { onlyLog, setupError, testFolder, using } from "./support/open.ts";

async function writeTwo(folder: string): Promise<string> {
  await using({ folder }, async (provider) => {
    await provider.appendMessages("c", [say("one")], {}, UNOWNED);
    await provider.appendMessages("c", [say("two")], {}, UNOWNED);
  });
  return onlyLog(folder);
}

test("a last line is ignored wherever it was cut off, and the next write repairs the log", async () => {
  const folder = await testFolder();
  const log = await writeTwo(folder);
  const bytes = await readFile(log);
  const firstLine = bytes.indexOf("\n") + 1;
  const cuts = Array.from({ length: 12 }, (_, index) => firstLine + 1 + index * 17);
  for (const cut of [...cuts.filter((at) => at < bytes.length), bytes.length - 1]) {
    await writeFile(log, bytes.subarray(0, cut));
    await using({ folder }, async (provider) => {
      expect(await said(provider, "c")).toEqual(["one"]);
      await provider.appendMessages("c", [say("three")], {}, UNOWNED);
    });
    expect(await using({ folder }, (provider) => said(provider, "c"))).toEqual(["one", "three"]);
  }
});

test("zeros at the end, as after a power cut, count as a cut-off line", async () => {
  const folder = await testFolder();
  const log = await writeTwo(folder);
  await truncate(log, (await stat(log)).size + 4096);
  expect(await using({ folder }, (provider) => said(provider, "c"))).toEqual(["one", "two"]);
});

test("a log with a cut-off first line and an unfinished compaction are deleted", async () => {
  const folder = await testFolder();
  await writeFile(join(folder, logName("begun")), '{"sum":"1234');
  await writeFile(join(folder, `${logName("compacted")}.new`), "half");
  expect(await using({ folder }, (provider) => said(provider, "begun"))).toEqual([]);
  expect(await readdir(folder)).toEqual([]);
});

const damages: readonly [string, (text: string) => string][] = [
  ["a changed byte", (text) => text.replace("one", "own")],
  ["a lost line", (text) => text.slice(text.indexOf("\n") + 1)],
  ["a doubled line", (text) => text + text.slice(text.indexOf("\n") + 1)],
  ["a broken line", (text) => text.replace("\n", " ")],
  ["garbage in the middle", (text) => text.replace("\n", "\ngarbage\n")],
  ["garbage at the end", (text) => `${text}garbage`],
];

test.each(damages)(
  "%s fails with an error that names the log, and nothing is lost silently",
  async (_, damage) => {
    const folder = await testFolder();
    const log = await writeTwo(folder);
    const damaged = damage(await readFile(log, "utf8"));
    await writeFile(log, damaged);
    const error = await setupError({ folder });
    expect(error).toMatchObject({ _tag: "MemoryStorageError", retryable: false });
    expect(error.message).toContain(`${logName("c")} is damaged (line `);
    expect(error.message).toContain("restore that file");
    expect(JSON.stringify(error)).not.toContain('"content');
    expect(await readFile(log, "utf8")).toBe(damaged);
    expect((await readdir(folder)).filter((name) => name.startsWith("lock"))).toEqual([]);
  },
);

test("a log under another log's name is refused", async () => {
  const folder = await testFolder();
  await copyFile(await writeTwo(folder), join(folder, logName("C")));
  expect((await setupError({ folder })).message).toContain("a copy of another log");
});

test("an append adds its line and leaves the rest of a long file unchanged", async () => {
  const folder = await testFolder();
  await using({ folder }, async (provider) => {
    await provider.appendMessages(
      "c",
      Array.from({ length: 2_000 }, (_, index) => say(`before ${index}`)),
      {},
      UNOWNED,
    );
    const log = await onlyLog(folder);
    const before = await stat(log);
    await provider.appendMessages("c", [say("one more")], {}, UNOWNED);
    const after = await stat(log);
    expect(after.ino).toBe(before.ino);
    expect(after.size - before.size).toBeLessThan(300);
  });
});

test("a log of mostly obsolete lines is compacted and keeps keys, versions, traces and order", async () => {
  const folder = await testFolder();
  const config = { folder, compactAfterLines: 10 };
  const odd: object = JSON.parse('{"__proto__":1}');
  const metadata = { ...odd, userId: "u", traceId: "t" };
  const first = { ...UNOWNED, idempotencyKey: "first", messageIds: ["zero"] };
  const before = await using(config, async (provider) => {
    await provider.appendMessages("c", [say("0")], metadata, first);
    for (let number = 1; number <= 40; number += 1) {
      const options = { maxMessages: 2, messageIds: [`id-${number}`] };
      await provider.appendMessages("c", [say(String(number))], undefined, options);
    }
    return provider.readConversation("c", { receiptFor: "first" });
  });
  expect((await readFile(await onlyLog(folder), "utf8")).split("\n").length).toBeLessThan(15);
  await using(config, async (provider) => {
    expect(await said(provider, "c")).toEqual(["39", "40"]);
    const after = await provider.readConversation("c", { receiptFor: "first" });
    const isBefore = { data: { ...(before.success && before.data), readAt: expect.any(Date) } };
    expect(after).toEqual({ success: true, ...isBefore });
    expect(before).toMatchObject({ data: { firstPosition: 39, receipt: { nextPosition: 1 } } });
    const again = await provider.appendMessages("c", [say("0")], metadata, first);
    expect(again.success).toBe(true);
    const known = await provider.appendMessages("c", [say("40")], {}, { messageIds: ["id-40"] });
    expect(known.success).toBe(true);
    const found = await provider.findConversations({ traceId: "t", userId: "u" });
    const [kept = {}] = found.success ? found.data.map((conversation) => conversation.metadata) : [];
    expect(kept).toMatchObject({ version: 41, metadataVersion: 1, totalMessages: 2 });
    expect(Object.entries(kept)).toContainEqual(["__proto__", 1]);
  });
});

test("ids that differ only in case have file names that differ in more than case", async () => {
  expect(logName("A").toLowerCase()).not.toBe(logName("a").toLowerCase());
  expect(logName("a")).toMatch(/^[0-9a-f]{64}\.jsonl$/);
});

test("a write to another conversation deletes an expired one's log", async () => {
  const folder = await testFolder();
  await using({ folder }, (provider) =>
    provider.appendMessages("c", [say("brief")], undefined, { ...UNOWNED, ttlSeconds: 1 }),
  );
  await new Promise((done) => setTimeout(done, 1_050));
  await using({ folder }, async (provider) => {
    await provider.appendMessages("other", [say("one")], {}, UNOWNED);
  });
  expect(await readdir(folder)).toEqual([logName("other")]);
});

test("appends during clearUserConversations land before or after it, the same on disk as in memory", async () => {
  const folder = await testFolder();
  const ids = Array.from({ length: 20 }, (_, index) => `c${index}`);
  const everything = async (provider: MemoryProvider) =>
    Promise.all(ids.map((conversationId) => said(provider, conversationId)));
  const write = (provider: MemoryProvider, content: string) =>
    Promise.all(ids.map((id) => provider.appendMessages(id, [say(content)], { userId: "u" }, UNOWNED)));
  const seen = await using({ folder }, async (provider) => {
    await write(provider, "before");
    const clearing = provider.clearUserConversations("u");
    const during = [write(provider, "one")];
    await setImmediate();
    during.push(write(provider, "two"));
    expect(await clearing).toMatchObject({ success: true, data: ids.length });
    for (const result of (await Promise.all(during)).flat()) expect(result.success).toBe(true);
    return everything(provider);
  });
  expect(seen).toEqual(ids.map(() => ["one", "two"]));
  expect(await using({ folder }, everything)).toEqual(seen);
});

test("a log stays short if a conversation's end is replaced repeatedly", async () => {
  const folder = await testFolder();
  const config = { folder, compactAfterLines: 10 };
  await using(config, async (provider) => {
    await provider.appendMessages("c", [say("first"), say("0")], {}, UNOWNED);
    for (let number = 1; number <= 40; number += 1) {
      await provider.appendMessages("c", [say(String(number))], {}, { dropLast: 1 });
    }
  });
  expect((await readFile(await onlyLog(folder), "utf8")).split("\n").length).toBeLessThan(15);
  await using(config, async (provider) => {
    expect(await said(provider, "c")).toEqual(["first", "40"]);
    expect(await provider.readConversation("c", { messages: { after: 0 } })).toMatchObject({
      data: { firstPosition: 1, conversation: { metadata: { version: 41, nextPosition: 2 } } },
    });
  });
});

test("the next process knows the deletions, only by hashes, as long as tombstones are kept", async () => {
  const folder = await testFolder();
  const config = { folder, compactAfterLines: 5 };
  const token = await using(config, async (provider) => {
    await provider.appendMessages("secret-id", [say("1")], { userId: "secret-user" }, UNOWNED);
    const read = await provider.readConversation("other", { userId: "secret-user" });
    for (let count = 0; count < 12; count += 1) await provider.deleteConversation("secret-id");
    await provider.clearUserConversations("secret-user");
    return read.success ? read.data.incarnation : "";
  });
  const log = await readFile(join(folder, TOMBSTONES_NAME), "utf8");
  expect(log).not.toContain("secret");
  expect(log.split("\n").length).toBeLessThan(7);
  await using(config, async (provider) => {
    const options = { createIfMissing: true, expectedIncarnation: token };
    const write = await provider.appendMessages("other", [say("2")], { userId: "secret-user" }, options);
    expect(write).toMatchObject({ success: false, error: { reason: "incarnation" } });
    const first = await provider.readConversation("secret-id");
    const again = await provider.readConversation("secret-id");
    // Everything but the time of the read.
    const readAt = expect.any(Date);
    expect(again).toEqual(first.success ? { ...first, data: { ...first.data, readAt } } : "a success");
    expect(first).toMatchObject({ data: { incarnation: expect.stringMatching(/^none:[\w-]{36}:$/) } });
  });
});

test("a damaged log of tombstones fails with an error that names it, and a cut-off one is repaired", async () => {
  const folder = await testFolder();
  await using({ folder }, (provider) => provider.deleteConversation("c"));
  const log = join(folder, TOMBSTONES_NAME);
  const text = await readFile(log, "utf8");
  await writeFile(log, text.replace("tombstones", "tombstoneS"));
  expect((await setupError({ folder })).message).toContain(`${TOMBSTONES_NAME} is damaged (line 1`);
  await writeFile(log, text.slice(0, -5));
  await using({ folder }, (provider) => provider.deleteConversation("c"));
  expect((await readFile(log, "utf8")).split("\n")).toHaveLength(2);
});
