import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInMemoryProvider } from "@jaf/memory";
import { afterAll, describe, expect, it } from "vitest";
import { parseCommand } from "../../src/arguments.ts";
import { Failure } from "../../src/exit.ts";
import type { Ledger } from "../../src/replay/ledger.ts";
import { checkRecordings } from "../../src/replay/recording.ts";
import { replay } from "../../src/replay/replay.ts";
import { verify } from "../../src/replay/verify.ts";
import { fromSources, runDemo } from "../support/demo-process.ts";
import { madeUpRecording } from "../support/recording-file.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const folder = temporaryFolder();
afterAll(() => folder.remove());

describe("replay and verify", { timeout: 60_000 }, () => {
  it("reports a damaged folder, and doesn't change it", async () => {
    const data = join(folder.path, "damaged");
    const database = join(data, "postgres");
    mkdirSync(database, { recursive: true });
    writeFileSync(join(database, "PG_VERSION"), "garbage");
    const { code, err } = await runDemo(["verify", folder.write("empty.jsonl", ""), "--data", data]);
    expect(code).toBe(1);
    expect(err).toMatch(/pg_control is missing.*Restore the folder from a backup/);
    expect(err).not.toContain("    at ");
    expect(readdirSync(database)).toEqual(["PG_VERSION"]);
    expect(readFileSync(join(database, "PG_VERSION"), "utf8")).toBe("garbage");
  });

  it("reports a missing file before it creates a folder, and exits with 1", async () => {
    const data = join(folder.path, "untouched");
    const { code, err } = await runDemo(["replay", join(folder.path, "nowhere.jsonl"), "--data", data]);
    expect(code).toBe(1);
    expect(err).toMatch(/nowhere\.jsonl: there is no such file\.\n$/);
    expect(readdirSync(folder.path)).not.toContain("untouched");
  });
});

describe("a recording", () => {
  it.each([
    ["bad.jsonl", `${madeUpRecording(1).text}\n{"conversationId": 7}\n`, "bad.jsonl, line 3: conversationId"],
    ["torn.jsonl", `${madeUpRecording(1).text}{"conv`, "torn.jsonl, line 2: this line is not JSON."],
    ["role.jsonl", '{"conversationId":"a","messages":[{"role":"root","content":"x"}]}', "messages[0].role"],
    ["twice.jsonl", madeUpRecording(1).text.repeat(2), 'conversation "made-up-0" is in it twice'],
  ])("is refused with the number of the invalid line: %s", async (name, text, message) => {
    await expect(checkRecordings(folder.write(name, text))).rejects.toThrow(message);
  });

  it("is refused if it is a folder", async () => {
    await expect(checkRecordings(folder.path)).rejects.toThrow("is a folder");
  });
});

describe("the command line", () => {
  it.each([
    [["replay"], '"replay" needs the file of the recording.'],
    [["dance"], 'Unknown command "dance".'],
    [["--colour"], "--colour"],
    [["verify", "a", "b"], 'Unexpected argument "b".'],
    [["--data", ""], "--data must not be empty."],
  ])("refuses %j and points to the help", (args, message) => {
    expect(() => parseCommand(args)).toThrow(message);
    expect(() => parseCommand(args)).toThrow("--help");
  });

  it("exits with 2 for invalid arguments, and has a help", async () => {
    expect(await runDemo(["dance"])).toMatchObject({ code: 2, out: "" });
    expect((await runDemo(["--help"], { program: fromSources })).out).toContain("Usage: demo");
  });
});

const silent: Ledger = { durable: () => {}, started: () => {} };
const signal = new AbortController().signal;

describe("a replay into a store with the same recording", () => {
  it("stores nothing again, and refuses another conversation with the same id", async () => {
    const provider = createInMemoryProvider();
    const { text, messages } = madeUpRecording(2);
    const file = folder.write("whole.jsonl", text);
    await replay({ file, provider, ledger: silent, signal });
    const again = await replay({ file, provider, ledger: silent, signal });
    expect(again).toEqual({ conversations: 2, messages, alreadyStored: messages, finished: true });

    const changed = folder.write("changed.jsonl", text.replace("Answer 2", "Answer two"));
    expect((await verify(changed, provider)).differences).toEqual(["made-up-0, message 15: differs"]);
    const refused = replay({ file: changed, provider, ledger: silent, signal });
    await expect(refused).rejects.toThrow("differs from the recording at message 15");
  });

  it("counts missing and additional messages and another user as differences", async () => {
    const provider = createInMemoryProvider();
    const messages = [{ role: "user", content: "else" }] as const;
    await provider.appendMessages("made-up-0", messages, { userId: "somebody" }, { createIfMissing: true });
    const file = folder.write("two.jsonl", madeUpRecording(2, 0).text);
    const { differences } = await verify(file, provider);
    expect(differences).toEqual([
      "made-up-0: stored for another user",
      "made-up-0, message 1: differs",
      "made-up-1: not stored",
    ]);
  });
});

describe("a replay with a failing ledger", () => {
  it("stops before the tool's result, and can continue later", async () => {
    const provider = createInMemoryProvider();
    const file = folder.write("ledger.jsonl", madeUpRecording(1).text);
    const full: Ledger = {
      durable: () => {},
      started: () => {
        throw new Failure("the disk is full");
      },
    };
    await expect(replay({ file, provider, ledger: full, signal })).rejects.toThrow("the disk is full");
    expect(await replay({ file, provider, ledger: silent, signal })).toMatchObject({
      finished: true,
      alreadyStored: 2,
    });
    expect((await verify(file, provider)).differences).toEqual([]);
  });
});
