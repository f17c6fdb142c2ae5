import { afterAll, describe, expect, it } from "vitest";
import { runDemo } from "../support/demo-process.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

describe("a chat", { timeout: 120_000 }, () => {
  const folder = temporaryFolder();
  afterAll(() => folder.remove());

  const as = (user: string) => ["chat", "--data", folder.data, "--user", user];
  const chat = (user: string, ...lines: string[]) =>
    runDemo(as(user), { input: lines.map((line) => `${line}\n`).join("") });

  it("continues in a new process", async () => {
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

    const second = await chat(
      "ada",
      ...["What is my name?", "show my notes"],
      ...["/new", "What is my name?", "/facts", "/forget-me"],
    );
    expect(second).toMatchObject({ code: 0, err: "" });
    expect(second.out).toContain("you: My name is Ada.");
    expect(second.out).toContain("agent: Your name is Ada.");
    expect(second.out).toContain("1. buy milk");
    // In a new conversation, from the facts about the user.
    const elsewhere = second.out.slice(second.out.indexOf("A new conversation."));
    expect(elsewhere).toContain("agent: Your name is Ada.");
    expect(elsewhere).toMatch(/"My name is Ada\."\n +you said so, .* in "My name is Ada\."\n/);
    expect(elsewhere).toContain("Facts forgotten: 1.");
  });
});
