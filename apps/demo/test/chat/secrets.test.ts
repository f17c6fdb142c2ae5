import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { runDemo } from "../support/demo-process.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const folder = temporaryFolder();
beforeAll(() => folder.placeDatabase());
afterAll(() => folder.remove());

const chat = (lines: readonly string[], args: readonly string[] = []) =>
  runDemo(["chat", "--data", folder.data, ...args], { input: lines.map((line) => `${line}\n`).join("") });

describe("secrets", () => {
  it("aren't in facts, notes and titles, and the assistant says where they are stored", {
    timeout: 120_000,
  }, async () => {
    const { out, code } = await chat(
      ["my password is hunter2", "Take a note: my pin is 1234", "what is my password?", "/list", "/facts"],
      ["--user", "bo"],
    );
    expect(code).toBe(0);
    expect(out).toContain(
      "That looks like a secret, so I won't remember it. The message itself is stored with this conversation until you delete it",
    );
    expect(out).toContain("I don't keep secrets, so I can't tell you.");
    expect(out).toMatch(/messages {2}\(a message with a secret\)/);
    expect(out.replaceAll(/^you: .*$/gm, "")).not.toMatch(/hunter2|1234/);
  });
});

describe("a question for all known facts", () => {
  it("lists the facts with their sources; /context, /why N and /stats show the rest", {
    timeout: 120_000,
  }, async () => {
    const { out } = await chat([
      "My name is Ada.",
      "Hello there",
      "What do you know about me?",
      "What is my name?",
      ...["/context", "/facts", "/why 1", "/why 99", "/stats"],
    ]);
    expect(out).toMatch(
      /agent: This is what I know about you:\n- "My name is Ada\." — you said so, .*, in "My name is Ada\."\n/,
    );
    expect(out).toContain("agent: Your name is Ada.");
    expect(out).toMatch(
      /What the model saw for the last answer:\n {2}model +default, 1 call.*\n {2}instructions +\d+ characters: You help the user\./,
    );
    expect(out).toMatch(/ {2}left out +nothing\n {2}tokens +not reported by this model\n/);
    expect(out).toMatch(
      / {2}fact +"My name is Ada\."\n {2}comes from +you said so, .*\n {2}last answer +recalled by its words/,
    );
    expect(out).toContain('There is no fact "99".');
    expect(out).toMatch(/ {2}messages +10: 4 from you, 5 replies, 1 from tools\n/);
  });
});
