import { afterAll, describe, expect, it } from "vitest";
import { runDemo, startDemo } from "../support/demo-process.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

describe("a chat", { timeout: 60_000 }, () => {
  // One folder for all tests, because creating a database is slow. Each test has its own user.
  const folder = temporaryFolder();
  afterAll(() => folder.remove());

  const as = (user: string) => ["chat", "--data", folder.data, "--user", user];
  const chat = (user: string, ...lines: string[]) =>
    runDemo(as(user), { input: lines.map((line) => `${line}\n`).join("") });

  it("keeps conversations apart, lists, reopens and forgets them", async () => {
    const { out, code } = await chat(
      "grace",
      "I like tea.",
      "/new",
      "What did I say?",
      "/list",
      "/open 2",
      "What did I say?",
      "/forget",
      "/list",
      "/open 7",
      "/nonsense",
      "/help",
    );
    expect(code).toBe(0);
    expect(out).toContain("Nothing yet: this conversation begins here.");
    expect(out).toMatch(/\*\s+1 .* What did I say\?\n\s+2 .* I like tea\./);
    expect(out).toContain("- I like tea.");
    expect(out).toContain("This conversation is forgotten.");
    expect(out.slice(out.indexOf("forgotten"))).not.toContain("I like tea.");
    expect(out).toContain('There is no conversation "7".');
    expect(out).toContain('Unknown command "/nonsense".');
    expect(out).toContain("/retry");
  });

  it("locks the folder, and exits cleanly on Ctrl-C", async () => {
    const first = startDemo(as("alan"));
    await first.printed(/offline assistant/);
    const second = await chat("alan", "hello");
    expect(second.code).toBe(1);
    expect(second.err).toMatch(/process \d+ has it open/);
    expect(second.err).not.toContain("    at ");

    first.child.stdin?.write("My name is Alan.\n");
    await first.printed(/Nice to meet you/);
    first.child.kill("SIGINT");
    expect(await first.finished).toMatchObject({ code: 0, err: "" });
    expect((await chat("alan", "What is my name?")).out).toContain("Your name is Alan.");
  });
});
