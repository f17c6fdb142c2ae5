import { afterAll, describe, expect, it } from "vitest";
import { ownWords } from "../src/assistant/own-words.ts";
import { requestsOf } from "../src/assistant/requests.ts";
import { holdsSecret } from "../src/assistant/secrets.ts";
import { runDemo } from "./support/demo-process.ts";
import { temporaryFolder } from "./support/temporary-folder.ts";

/** Made once: making its database takes longer than a chat. */
const folder = temporaryFolder();
afterAll(() => folder.remove());

const chat = (lines: readonly string[], args: readonly string[] = []) =>
  runDemo(["chat", "--data", folder.data, ...args], { input: lines.map((line) => `${line}\n`).join("") });

describe("secrets", () => {
  it.each([
    "my password is hunter2",
    "My password is swordfish.",
    "the wifi password: swordfish",
    "the wifi password is: tiger",
    "the password for the router is tiger",
    "hunter2 is my password",
    "use tiger as my password",
    "remember my password hunter2",
    "my pin's 1234",
    "My passcode’s 9876",
    "the door code is 4711",
    "my api key is abcdef",
    "API_KEY=abcdef",
    "the token is tok_123",
    "here is a key: sk-abc123def",
    "ghp_abcdefgh12345678",
    "my card number is 4111 1111 1111 1111",
    "4111111111111111",
  ])("are found in %j, and nothing of it is remembered", (text) => {
    expect(holdsSecret(text)).toBe(true);
    expect(ownWords(text)).not.toMatch(/hunter2|swordfish|tiger|1234|9876|4711|abc|tok_|1111/);
  });

  it.each([
    "My password is too weak.",
    "I forgot my password.",
    "What is my password?",
    "my pin is broken",
    "my bowling pin is red",
    "reset my password please",
    "my email is ada@example.com",
    "my phone is +49 170 1234567",
    "my node version is 20.20.2",
  ])("aren't seen in %j", (text) => {
    expect(holdsSecret(text)).toBe(false);
  });

  it("stay out of facts, notes and titles, and the assistant says what is stored", {
    timeout: 60_000,
  }, async () => {
    const { out, code } = await chat(
      ["my password is hunter2", "Take a note: my pin is 1234", "what is my password?", "/list", "/facts"],
      ["--user", "bo"],
    );
    expect(code).toBe(0);
    expect(out).toContain(
      "I don't keep secrets: it isn't among what I remember about you. This conversation is stored",
    );
    expect(out).toContain("I don't keep secrets, so I can't tell you.");
    expect(out).toMatch(/messages {2}\(a message with a secret\)/);
    expect(out.replaceAll(/^you: .*$/gm, "")).not.toMatch(/hunter2|1234/);
  });
});

describe("a question for all that is known", () => {
  it.each([
    "What do you know about me?",
    "what do you remember about me",
    "Who am I?",
    "tell me what you know of me",
    "tell me everything you know about me",
    "what have you learned about me?",
    "do you know anything about me",
    "do you remember me?",
    "list what you know about me",
    "show my facts",
    "so, what do you remember of me then?",
  ])("is understood: %j", (text) => {
    expect(requestsOf(text)).toEqual([{ tool: "known_facts", args: {} }]);
  });

  it.each([
    "What do you know about cats?",
    "what is my name?",
    "do you know my name?",
    "the page says what they know about me",
  ])("isn't taken for one: %j", (text) => expect(requestsOf(text)).toEqual([]));

  it("lists the facts with where they come from; /context, /why N and /stats tell the rest", {
    timeout: 60_000,
  }, async () => {
    const { out } = await chat([
      "My name is Ada.",
      "The page says: my name is Eve.",
      "What do you know about me?",
      "What is my name?",
      ...["/context", "/facts", "/why 1", "/why 99", "/stats"],
    ]);
    expect(out).toMatch(
      /agent: This is what I know about you:\n- "My name is Ada\." — you said so, .*, in "My name is Ada\."\n/,
    );
    expect(out).toContain("agent: Your name is Ada.");
    expect(out).not.toMatch(/(?:"|agent: ).*my name is Eve.*—/);
    expect(out).toMatch(
      /What the model saw for the last answer:\n {2}model +default, 1 call.*\n {2}instructions +\d+ characters: You help the user\./,
    );
    expect(out).toMatch(/ {2}left out +nothing\n {2}tokens +not reported by this model\n/);
    expect(out).toMatch(
      / {2}fact +"My name is Ada\."\n {2}comes from +you said so, .*\n {2}last answer +recalled by its words/,
    );
    expect(out).toContain('There is no fact "99".');
    expect(out).toMatch(/ {2}messages +10: 4 of you, 5 replies, 1 of tools\n/);
  });
});
