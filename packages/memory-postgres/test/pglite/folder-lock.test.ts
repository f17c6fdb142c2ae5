import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { lockFolder, ownIdentity } from "../../src/pglite/folder-lock.ts";
import { PgliteFolderError } from "../../src/pglite/index.ts";
import { startChild } from "../support/child.ts";

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "jaf-lock-"));
});

afterEach(() => rmSync(folder, { recursive: true }));

const leaveLock = (record: object): void => {
  writeFileSync(join(folder, "jaf-lock.7"), JSON.stringify({ state: "held", ...ownIdentity(), ...record }));
};

const refusal = (): unknown => {
  try {
    lockFolder(folder);
    return undefined;
  } catch (thrown) {
    return thrown;
  }
};

describe("the lock of a folder", () => {
  it("is refused while it is held, even in the same process, and available afterwards", () => {
    for (let round = 0; round < 5; round++) {
      const lock = lockFolder(folder);
      expect(refusal()).toMatchObject({ reason: "in-use", message: expect.stringContaining("this process") });
      lock.release();
    }
    expect(readdirSync(folder).length).toBeLessThanOrEqual(2);
  });

  it("names the process that holds it", () => {
    leaveLock({ pid: 1, start: undefined });
    expect(refusal()).toBeInstanceOf(PgliteFolderError);
    expect(refusal()).toMatchObject({ reason: "in-use", message: expect.stringContaining("process 1 ") });
  });

  it("is taken over from a process that has ended", () => {
    leaveLock({ pid: 2 ** 22 + 1 });
    lockFolder(folder).release();
  });

  it.runIf(ownIdentity().start !== undefined)("is taken over if its process id was reused", () => {
    leaveLock({ start: "another boot 123" });
    lockFolder(folder).release();
  });

  it.runIf(ownIdentity().start !== undefined)("is taken over from a zombie", async () => {
    // The shell starts a process and then becomes another program, so it never reads the exit code.
    const parent = spawn("sh", ["-c", "sleep 0.1 & echo $!; exec sleep 30"]);
    try {
      const [pid] = await once(parent.stdout, "data");
      const stat = () => readFileSync(`/proc/${Number(pid)}/stat`, "utf8");
      await expect.poll(stat).toContain(") Z ");
      leaveLock({ pid: Number(pid), start: undefined });
      lockFolder(folder).release();
    } finally {
      parent.kill();
    }
  });

  it("is not taken over from another machine, and the error says what to do", () => {
    leaveLock({ pid: 2 ** 22 + 1, host: "elsewhere" });
    expect(refusal()).toMatchObject({
      reason: "in-use",
      message: expect.stringMatching(/elsewhere.*delete .*jaf-lock\.7/),
    });
  });

  it("is not taken over if its file can't be read", () => {
    writeFileSync(join(folder, "jaf-lock.7"), "{");
    expect(refusal()).toMatchObject({ reason: "in-use", message: expect.stringMatching(/Delete it/) });
  });

  it("is given to exactly one of many processes that find a dead holder at the same time", async () => {
    const starting = Array.from({ length: 10 }, () => startChild("lock-child.ts", [folder]));
    const children = await Promise.all(starting);
    try {
      await Promise.all(children.map(({ line }) => line("ready")));
      leaveLock({ pid: 2 ** 22 + 1 });
      for (const { process } of children) process.stdin?.write("go\n");
      const results = await Promise.all(children.map(({ line }) => line("result ")));
      expect(results.sort()).toEqual([...Array.from({ length: 9 }, () => "result in-use"), "result won"]);
      const holder = JSON.parse(readFileSync(join(folder, "jaf-lock.8"), "utf8"));
      expect(children.map(({ process }) => process.pid)).toContain(holder.pid);
    } finally {
      await Promise.all(children.map(({ kill }) => kill()));
    }
    lockFolder(folder).release();
  });
});
