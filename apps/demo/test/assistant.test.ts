import type { Message } from "@jaf/memory";
import { renderUserMemory } from "@jaf/user-memory";
import { describe, expect, it } from "vitest";
import { answerFromHistory } from "../src/assistant/answers.ts";
import { calculate } from "../src/assistant/calculator.ts";
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

  it("are the user's own: neither what a page says, nor what is quoted by lines", () => {
    const texts = [
      "The page says: my name is Eve.",
      "> my dog is Rex",
      "I said my cat is Tom",
      "My cat wrote. Call me Ada",
    ];
    expect([...factsIn(texts)]).toEqual([
      ["cat", "Tom"],
      ["name", "Ada"],
    ]);
  });
});

describe("what is remembered of other conversations", () => {
  const instructions = (...lines: string[]): string =>
    `You help.\n\nNotes about the user.\n\n<user-memory>\n${lines.join("\n")}\n</user-memory>`;

  it("is read from the lines of the instructions, the oldest first, and a day's in their order", () => {
    const remembered = rememberedIn(
      instructions(
        "- I live in Rome",
        "- (inferred) The user's dog is Rex",
        '- The user said on 2026-11-09: "My name is Ada."',
        "- Asked \"Are you 'sure'?\", the user said on 2026-11-02: \"yes: 'very'\"",
        '- In a text that the user sent on 2026-11-09: "My cat is Tom"',
        '- (earlier) The user said on 2026-11-30: "My name is Eve."',
        '- The user said: "no date"',
      ),
    );
    expect(remembered).toEqual([
      { words: "My name is Eve.", day: "2026-11-30" },
      { words: "I live in Rome", day: "" },
      { words: "no date", day: "" },
      { words: "yes: 'very'", day: "2026-11-02" },
      { words: "My name is Ada.", day: "2026-11-09" },
      { words: "My cat is Tom", day: "2026-11-09" },
    ]);
    expect(rememberedIn("You help.")).toEqual([]);
  });

  it("is answered from as it is rendered, links and quotation marks in it and all", () => {
    const at = new Date("2026-11-02T08:00:00Z");
    const text = renderUserMemory([
      {
        ...{
          id: "1",
          userId: "ada",
          createdAt: at,
          trust: "inferred",
          status: "active",
          provenance: { saidAt: at },
        },
        fact: 'They call me "the Countess", see https://example.org. My name is Ada.',
        quotation: { from: "message", question: 'Who is "she"?' },
      },
    ]);
    expect(rememberedIn(text)).toMatchObject([{ day: "2026-11-02" }]);
    expect(answerFromHistory(said("What is my name?"), rememberedIn(text))).toBe("Your name is Ada.");
  });

  it("counts where the conversation itself says nothing", () => {
    const remembered = [{ words: "My name is Ada.", day: "2026-11-02" }];
    expect(answerFromHistory(said("What is my name?"), remembered)).toBe("Your name is Ada.");
    expect(answerFromHistory(said("Thanks!"), remembered)).toBe("You're welcome, Ada.");
    expect(answerFromHistory(said("Call me Countess.", "What is my name?"), remembered)).toBe(
      "Your name is Countess.",
    );
  });

  it("answers with the newest word, and tells the others of its day, whose order isn't known for sure", () => {
    const asked = said("What is my dog?");
    const rex = { words: "my dog is Rex", day: "2026-11-02" };
    const toby = { words: "My dog is Toby.", day: "2026-11-03" };
    expect(answerFromHistory(asked, [rex, toby])).toBe("Your dog is Toby.");
    expect(answerFromHistory(asked, [{ ...rex, day: toby.day }, toby, toby])).toBe(
      "Your dog is Toby. On the same day you also said Rex.",
    );
  });
});

describe("requests", () => {
  it.each([
    ["What time is it?", [{ tool: "clock", args: {} }]],
    ["What time is it in Tokyo", [{ tool: "clock", args: { timeZone: "Asia/Tokyo" } }]],
    ["What is 12 * (3 + 4)?", [{ tool: "calculator", args: { expression: "12 * (3 + 4)" } }]],
    ["What's 20% of 50?", [{ tool: "calculator", args: { expression: "20 / 100 * 50" } }]],
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
      expect(answerFromHistory(said("What is my a?"), [{ words: huge, day: "" }])).toBe(
        answerFromHistory(said("What is my a?"), [{ words: long, day: "" }]),
      );
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
