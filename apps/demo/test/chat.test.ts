import { afterAll, describe, expect, it } from "vitest";
import { runDemo, startDemo, temporaryFolder } from "./support/demo-process.ts";

describe("a chat", { timeout: 60_000 }, () => {
  // One folder for all, since making a database takes longest; a user of its own for each test.
  const folder = temporaryFolder();
  afterAll(() => folder.remove());

  const as = (user: string) => ["--data", folder.data, "--user", user];
  const chat = (user: string, ...lines: string[]) =>
    runDemo(as(user), lines.map((line) => `${line}\n`).join(""));

  it("goes on in a new process where the last one stopped", async () => {
    const first = await chat(
      "ada",
      "My name is Ada.",
      "What is 12 * (3 + 4), and what time is it?",
      "Take a note: buy milk",
    );
    expect(first).toMatchObject({ code: 0, err: "" });
    expect(first.out).toContain("offline assistant");
    expect(first.out).toContain("Nice to meet you, Ada.");
    expect(first.out).toMatch(/→ clock[\s\S]*→ calculator[\s\S]*12 \* \(3 \+ 4\) = 84/);

    const second = await chat("ada", "What is my name?", "show my notes");
    expect(second.code).toBe(0);
    expect(second.out).toContain("you: My name is Ada.");
    expect(second.out).toContain("agent: Your name is Ada.");
    expect(second.out).toContain("1. buy milk");
  });

  it("keeps conversations apart, lists, reopens and forgets them", async () => {
    const { out, code } = await chat(
      "grace",
      "My name is Ada.",
      "/new",
      "What is my name?",
      "/list",
      "/open 2",
      "what's my name?",
      "/forget",
      "/list",
      "/open 7",
      "/nonsense",
      "/help",
    );
    expect(code).toBe(0);
    expect(out).toContain("You haven't told me your name yet.");
    expect(out).toMatch(/\*\s+1 .* What is my name\?\n\s+2 .* My name is Ada\./);
    expect(out).toContain("Your name is Ada.");
    expect(out).toContain("This conversation is forgotten.");
    expect(out.slice(out.indexOf("forgotten"))).not.toContain("My name is Ada.");
    expect(out).toContain('There is no conversation "7".');
    expect(out).toContain('Unknown command "/nonsense".');
    expect(out).toContain("/retry");
  });

  it("keeps the folder to itself, and leaves it cleanly on Ctrl-C", async () => {
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
