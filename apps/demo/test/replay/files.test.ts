import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  createFailure,
  createInMemoryProvider,
  createMemoryConnectionError,
  type MemoryProvider,
} from "@jaf/memory";
import { defineMemoryProvider, type MemoryBackend } from "@jaf/memory/adapter";
import { afterAll, describe, expect, it, vi } from "vitest";
import { Failure } from "../../src/exit.ts";
import { executionsFile, openLedger, readExecutions } from "../../src/replay/ledger.ts";
import { checkRecordings } from "../../src/replay/recording.ts";
import { createProgress, replay } from "../../src/replay/replay.ts";
import { describeExecutions, describeVerification } from "../../src/replay/report.ts";
import { verify } from "../../src/replay/verify.ts";
import {
  asks,
  calls,
  madeUpRecording,
  recordingLine,
  replies,
  result,
  silentLedger,
} from "../support/recording-file.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const folder = temporaryFolder();
afterAll(() => folder.remove());

const { signal } = new AbortController();
let folders = 0;

function emptyFolder(): string {
  folders += 1;
  const path = join(folder.path, `ledger-${folders}`);
  mkdirSync(path, { recursive: true });
  return path;
}

const turn = recordingLine("c", [asks("1"), calls("a", "b"), result("a"), result("b"), replies("1")]);

describe("a recording file", () => {
  it("can begin with a byte order mark and contain -0, which is stored as 0", async () => {
    const line =
      '{"conversationId": "c", "messages": [{"role": "user", "content": "", "at": [-0, -1, -0.0]}]}';
    const file = folder.write("bom.jsonl", `\uFEFF${line}\n`);
    const provider = createInMemoryProvider();
    await replay({ file, provider, ledger: silentLedger, signal });
    await replay({ file, provider, ledger: silentLedger, signal });
    expect((await verify(file, provider)).differences).toEqual([]);
  });

  it.each([
    ["a conversation", "x".repeat(256), "user", "line 2: conversationId: expected at most 255"],
    ["a user", "c", "\0", "line 2: userId: expected no NUL"],
  ])("is refused for an id of %s that stores refuse", async (name, id, userId, message) => {
    const text = `${recordingLine("fine", [])}${recordingLine(id, [], userId)}`;
    await expect(checkRecordings(folder.write(`id of ${name}.jsonl`, text))).rejects.toThrow(message);
  });

  it("can contain an empty conversation, which is stored with its owner", async () => {
    const provider = createInMemoryProvider();
    const file = folder.write("empty-conversation.jsonl", recordingLine("c", []));
    const options = { file, provider, ledger: silentLedger, signal };
    expect(await replay(options)).toMatchObject({ conversations: 1, messages: 0, finished: true });
    expect((await verify(file, provider)).differences).toEqual([]);
    expect(await provider.getConversation("c")).toMatchObject({ data: { userId: "somebody", messages: [] } });
    expect(await replay(options)).toMatchObject({ conversations: 1, messages: 0, finished: true });
  });

  it("adds the recorded owner to a stored conversation without one, and removes none", async () => {
    const provider = createInMemoryProvider();
    await provider.appendMessages("c", [asks("1")], {}, { createIfMissing: "unowned" });
    const file = folder.write("owner.jsonl", recordingLine("c", [asks("1")]));
    await replay({ file, provider, ledger: silentLedger, signal });
    expect((await verify(file, provider)).differences).toEqual([]);

    const other = folder.write("other-owner.jsonl", recordingLine("c", [asks("1")], "else"));
    const refused = replay({ file: other, provider, ledger: silentLedger, signal });
    await expect(refused).rejects.toThrow("c: it is stored for another user.");
  });
});

describe("the progress bar", () => {
  it("stays full if more is done than expected", () => {
    const write = vi.fn((_text: string) => true);
    const out = { isTTY: false, write } as unknown as NodeJS.WriteStream;
    createProgress({ conversations: 1, messages: 2 }, out).finish({ conversations: 1, messages: 3 }, 3);
    expect(write.mock.calls[0]?.[0]).toContain(`${"█".repeat(24)} 3/2 messages`);
  });
});

describe("the ledger", () => {
  it("counts repeated finished calls, apart from calls that a crash interrupted", () => {
    const path = emptyFolder();
    const ledger = openLedger(path);
    ledger.durable("c", 2);
    ledger.started("c", 2); // Interrupted by a crash,
    ledger.durable("c", 2);
    ledger.started("c", 2); // so it runs again.
    ledger.durable("c", 3);
    ledger.started("c", 2);
    ledger.started("d", 2);
    expect(readExecutions(path)).toEqual({
      calls: 2,
      executions: 4,
      repeatedAfterFinish: 1,
      repeatedAfterCrash: 1,
    });
  });

  it("counts them even if the store lost acknowledged messages, and names other causes", async () => {
    const path = emptyFolder();
    const ledger = openLedger(path);
    const file = folder.write("turn.jsonl", turn);
    await replay({ file, provider: createInMemoryProvider(), ledger, signal });
    await replay({ file, provider: createInMemoryProvider(), ledger, signal });
    const executions = readExecutions(path);
    expect(executions).toMatchObject({ calls: 2, executions: 4, repeatedAfterFinish: 2 });
    expect(executions && describeExecutions(executions)).toContain(
      "if you deleted the conversations beside it",
    );
  });

  it.each(["null", "5", "[]", "{}", '["run"]', '["run", "c", "2"]', '["else", "c", 2]', '["run", "c', ""])(
    "skips the line %j",
    (line) => {
      const path = emptyFolder();
      writeFileSync(executionsFile(path), `${line}\n["run", "c", 2]\n`);
      expect(readExecutions(path)).toMatchObject({ calls: 1, executions: 1 });
    },
  );

  it("reports a folder in its place", () => {
    const path = emptyFolder();
    expect(readExecutions(path)).toBeUndefined();
    mkdirSync(executionsFile(path));
    expect(() => readExecutions(path)).toThrow(Failure);
    expect(() => readExecutions(path)).toThrow("replay-executions.jsonl can't be read: it is a folder");
    expect(() => openLedger(path).durable("c", 0)).toThrow("can't be written: it is a folder");
  });
});

describe("verify", () => {
  /** A store with a foreign row in the conversation "made-up-0". */
  function corruptProvider(good: MemoryProvider): MemoryProvider {
    const read: MemoryBackend["read"] = async ({ conversationId }) => ({
      conversation: {
        conversationId,
        messages: ['{"role": "user", "content": "x"}', "garbage"],
        metadata: {},
        createdAt: new Date(0),
        lastActivity: new Date(0),
        totalMessages: 2,
        ...{ version: 2, metadataVersion: 0, nextPosition: 2, incarnation: "corrupt" },
      },
      firstPosition: 0,
    });
    const toMemoryError: MemoryBackend["toMemoryError"] = () => createMemoryConnectionError("broken");
    const corrupt = defineMemoryProvider({
      name: "corrupt",
      read,
      toMemoryError,
    } as unknown as MemoryBackend);
    return {
      ...good,
      getConversation: (id) => (id === "made-up-0" ? corrupt : good).getConversation(id),
    };
  }

  it("counts an unreadable row as a difference and continues", async () => {
    const file = folder.write("corrupt.jsonl", madeUpRecording(2).text);
    const verified = await verify(file, corruptProvider(createInMemoryProvider()));
    expect(verified).toMatchObject({ conversations: 2, finished: true });
    expect(verified.differences).toEqual(["made-up-0, message 2: can't be read", "made-up-1: not stored"]);
  });

  it("stops if the store can't be reached", async () => {
    const provider: MemoryProvider = {
      ...createInMemoryProvider(),
      getConversation: async () => createFailure(createMemoryConnectionError("postgres")),
    };
    const file = folder.write("unreachable.jsonl", madeUpRecording(2).text);
    await expect(verify(file, provider)).rejects.toThrow("Cannot reach the postgres memory store");
  });

  it("compares the number of messages with the stored count", async () => {
    const inner = createInMemoryProvider();
    const file = folder.write("counted.jsonl", turn);
    await replay({ file, provider: inner, ledger: silentLedger, signal });
    const provider: MemoryProvider = {
      ...inner,
      getConversation: async (id) => {
        const loaded = await inner.getConversation(id);
        if (!loaded.success || loaded.data?.metadata === undefined) return loaded;
        return {
          ...loaded,
          data: { ...loaded.data, metadata: { ...loaded.data.metadata, totalMessages: 4 } },
        };
      },
    };
    expect((await verify(file, provider)).differences).toEqual(["c: 5 messages are stored, counted as 4"]);
  });

  it("stops at an abort and reports that not everything was compared", async () => {
    const inner = createInMemoryProvider();
    const leaving = new AbortController();
    const provider: MemoryProvider = {
      ...inner,
      getConversation: async (id) => {
        leaving.abort();
        return inner.getConversation(id);
      },
    };
    const file = folder.write("stopped.jsonl", madeUpRecording(3, 0).text);
    const stopped = await verify(file, provider, leaving.signal);
    expect(stopped).toMatchObject({ conversations: 1, finished: false });
    expect(describeVerification(stopped)).toBe(
      "1 conversations, 1 messages, 1 differences\n  made-up-0: not stored\nStopped: not everything was compared.",
    );
    expect(describeVerification(await verify(file, inner))).not.toContain("Stopped");
  });
});
