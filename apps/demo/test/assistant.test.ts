import type { Message } from "@jaf/memory";
import { describe, expect, it } from "vitest";
import { answerFromHistory } from "../src/assistant/answers.ts";
import { calculate } from "../src/assistant/calculator.ts";
import { learning } from "../src/assistant/extraction.ts";
import { factsIn } from "../src/assistant/facts.ts";
import { rememberedIn } from "../src/assistant/remembered.ts";
import { requestsOf } from "../src/assistant/requests.ts";
import { titleOf } from "../src/chat/conversation-list.ts";

const said = (...texts: string[]): Message[] => texts.map((content) => ({ role: "user", content }));

describe("the calculator", () => {
  it.each([
    ["1 + 2 * 3", 7],
    ["(1 + 2) * 3", 9],
    ["-2 ^ 2", -4],
    ["2 ^ 3 ^ 2", 512],
    ["10 / 4 - .5", 2],
    ["7 % 4", 3],
    ["--3", 3],
  ])("works out %s", (expression, value) => {
    expect(calculate(expression)).toBe(value);
  });

  it.each(["1 +", "(1", "1 2", "two", "1 / 0", "9 ^ 999", "", "1 + alert"])(
    "refuses %j with a reason",
    (expression) => {
      expect(() => calculate(expression)).toThrow(/\w/);
    },
  );
});

describe("facts", () => {
  it("keeps the newest word on each thing, and takes a question for none", () => {
    const facts = factsIn([
      "My name is Ada.",
      "my dog is Rex",
      "call me Countess",
      "what is my dog?",
      "My dog is Toby!",
    ]);
    expect([...facts]).toEqual([
      ["name", "Countess"],
      ["dog", "Toby"],
    ]);
  });
});

describe("facts for other conversations", () => {
  const propose = (...texts: string[]) =>
    learning.extract({ userId: "ada", said: texts, reply: "", signal: new AbortController().signal });

  it("are proposed in the user's own words, with what they are about", async () => {
    expect(await propose("My favourite colour is blue, call me Ada!", "What is my dog?")).toMatchObject([
      { fact: "The user's favourite colour is blue, call the user Ada", key: "favourite-colour" },
      { fact: "Call the user Ada", evidence: "call me Ada", key: "called" },
    ]);
    expect(await propose("I'm called Ada.")).toMatchObject([{ fact: "The user is called Ada" }]);
  });

  it("are read from the instructions, where the conversation itself says nothing", () => {
    const block =
      "<user-memory>\n- The user's name is Ada\n- (inferred) The user's dog is Rex\n</user-memory>";
    const remembered = rememberedIn(`You help.\n\n${block}`);
    expect(remembered).toEqual(["The user's name is Ada", "The user's dog is Rex"]);
    expect(answerFromHistory(said("What is my name?"), remembered)).toBe("Your name is Ada.");
    expect(answerFromHistory(said("Thanks!"), remembered)).toBe("You're welcome, Ada.");
    expect(answerFromHistory(said("Call me Countess.", "What is my name?"), remembered)).toContain(
      "Countess",
    );
    expect(rememberedIn("You help.")).toEqual([]);
  });
});

describe("requests", () => {
  it.each([
    ["What time is it?", [{ tool: "clock", args: {} }]],
    ["What time is it in Tokyo", [{ tool: "clock", args: { timeZone: "Asia/Tokyo" } }]],
    ["What is 12 * (3 + 4)?", [{ tool: "calculator", args: { expression: "12 * (3 + 4)" } }]],
    ["what's 6 times 7", [{ tool: "calculator", args: { expression: "6 * 7" } }]],
    ["Take a note: buy 2 - 3 apples", [{ tool: "notes", args: { action: "add", text: "buy 2 - 3 apples" } }]],
    ["show me my notes", [{ tool: "notes", args: { action: "list" } }]],
    ["delete note 2 please", [{ tool: "notes", args: { action: "remove", number: 2 } }]],
    ["What is my name?", []],
    ["I was born in 1815", []],
  ])("finds in %j what a tool can do", (text, requests) => {
    expect(requestsOf(text)).toEqual(requests);
  });

  it("asks two tools at once when a message asks for both", () => {
    expect(requestsOf("What time is it, and what is 2 + 2?").map(({ tool }) => tool)).toEqual([
      "clock",
      "calculator",
    ]);
  });
});

describe("answers", () => {
  it.each([
    [["My name is Ada.", "What is my name?"], "Your name is Ada."],
    [["What's my name?"], "You haven't told me your name yet."],
    [
      ["my favourite colour is blue", "do you remember my favourite colour?"],
      "Your favourite colour is blue.",
    ],
    [["I like tea", "What did I say first?"], 'The first thing you said was: "I like tea"'],
    [["My name is Ada.", "thanks"], "You're welcome, Ada."],
  ])("answers %j from the history", (texts, answer) => {
    expect(answerFromHistory(said(...texts))).toBe(answer);
  });

  it("says that it is an offline assistant when it can't follow", () => {
    expect(answerFromHistory(said("Tell me of the sea."))).toContain("offline assistant");
  });
});

describe("huge and hostile messages", () => {
  it.each(["(", ".", "- ", "what ", "my a is ", "time ", "🚀"])(
    "costs no more than a long one: %j repeated",
    (text) => {
      const huge = text.repeat(1_000_000 / text.length);
      const long = huge.slice(0, 2_000); // More of it isn't looked at: the rules' patterns are quadratic.
      expect(requestsOf(huge)).toEqual(requestsOf(long));
      expect(answerFromHistory(said(huge))).toBe(answerFromHistory(said(long)));
    },
  );

  it.each([
    [`${"a".repeat(46)}🚀 and more`, `${"a".repeat(46)}🚀…`],
    ["hi\0there\u001b[31m", "hi there [31m"],
    ["🚀".repeat(500_000), `${"🚀".repeat(47)}…`],
    ["cut \ud83d here", "cut here"],
    [" two\nlines ", "two lines"],
  ])("makes a title that any store takes", (text, title) => {
    expect(titleOf(text)).toBe(title);
  });
});
