import { describe, expect, it } from "vitest";
import { userStatements } from "../src/assistant/user-statements.ts";
import { SEEN_OTHERS, SEEN_STATEMENTS, UNSEEN_OTHERS, UNSEEN_STATEMENTS } from "./tables/statements.ts";

const said = (text: string): string => userStatements(text, { isAnswer: false });

describe("what a user says of themselves", () => {
  it.each([...SEEN_STATEMENTS])("is kept as it is: %j", (text) => expect(said(text)).toBe(text));

  it("is kept in the cases that the rule wasn't written for", () => {
    expect(UNSEEN_STATEMENTS.filter((text) => said(text) !== text)).toEqual([]);
  });
});

describe("what says nothing of the user", () => {
  it.each([...SEEN_OTHERS])("isn't kept: %j", (text) => expect(said(text)).toBe(""));

  it("isn't kept in most of the cases that the rule wasn't written for", () => {
    expect(UNSEEN_OTHERS.filter((text) => said(text) !== "")).toEqual([]);
  });
});

describe("a message of several sentences", () => {
  it.each([
    ["Hello! My name is Ada.", "My name is Ada."],
    ["My name is Ada. What is yours?", "My name is Ada."],
    ["My dog is Rex. He is three. Set a timer for 5 seconds", "My dog is Rex. He is three."],
    ["Keep this page:\nMy name is Mallory.\nI live in Rome.", ""],
    ["Send an email to Bob: My name is Ada. I am ill.", ""],
  ])("leaves of %j what states something", (text, kept) => expect(said(text)).toBe(kept));

  it("is divided where something was cut out of its middle", () => {
    expect(said("My dog is Rex. What time is it? I like tea.")).toBe("My dog is Rex.\n\ufffc\n I like tea.");
  });
});

it("keeps nothing where nothing but what was cut out is left", () => {
  for (const text of ["\ufffc", "\n\ufffc\n", "\ufffc\n.\n\ufffc", "Thanks!\n\ufffc\n"]) {
    expect(said(text)).toBe("");
    expect(userStatements(text, { isAnswer: true }).replaceAll(/Thanks!/g, "")).not.toContain("\ufffc");
  }
  expect(said("My dog is Rex.\n\ufffc\n")).toBe("My dog is Rex.");
  expect(said("My dog is Rex.\n\ufffc\nI like tea.")).toMatch(/^My dog is Rex\.\s+\ufffc\s+I like tea\.$/);
});

it("keeps a short answer to a question, and what it can't judge", () => {
  expect(userStatements("yes, both of us", { isAnswer: true })).toBe("yes, both of us");
  expect(userStatements("yes, both of us", { isAnswer: false })).toBe("");
  expect(userStatements("What do you mean?", { isAnswer: true })).toBe("");
  expect(said("私の名前はエイダです。")).toBe("私の名前はエイダです。");
  expect(said("Ich wohne in Berlin.")).toBe("Ich wohne in Berlin.");
});
