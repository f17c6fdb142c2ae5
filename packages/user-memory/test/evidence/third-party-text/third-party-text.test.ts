import { describe, expect, it } from "vitest";
import { announcesText, thirdPartySpans } from "../../../src/evidence/third-party-text.ts";

const thirdPartyIn = (text: string): string =>
  thirdPartySpans(text)
    .map(({ start, end }) => text.slice(start, end))
    .join("|");

/** Each has the user's own words, then `¦` and a third-party sentence. */
const PASTES: readonly (readonly [string, string, string])[] = [
  ["a block quote", "Look:\n> I am vegan\nok", "I am vegan"],
  ["fenced code", "See\n```\nI am vegan\n```\nok", "I am vegan"],
  ["inline code", "run `echo I am vegan` now", "I am vegan"],
  ["a comment", "why\n// I am vegan\nx", "I am vegan"],
  ["a quotation", 'She wrote "I am vegan now" today', "I am vegan now"],
  ["a German quotation", "Er sagte „Ich bin jetzt Veganer.“ heute", "Ich bin jetzt Veganer."],
  ["a French quotation", "Elle dit « je suis devenue végane » hier", "je suis devenue végane"],
  ["a Japanese quotation", "彼は「私はナッツアレルギーです」と言った", "私はナッツアレルギーです"],
  ["a Khmer quotation", "គាត់និយាយថា «ខ្ញុំមិនញ៉ាំសាច់ទេ» មែន", "ខ្ញុំមិនញ៉ាំសាច់ទេ"],
  ["a quotation over lines", "He wrote “Hello.\nI am vegan now.” ok", "I am vegan now."],
  ["a forwarded mail", "fyi\n---------- Forwarded message ---------\nI am vegan", "I am vegan"],
  ["the head of a mail", "fyi\nVon: Ann\nBetreff: Essen\n\nIch bin Veganerin", "Ich bin Veganerin"],
  ["an answered mail", "On 3 May 2026, Ann <a@b.org> wrote:\nI am vegan", "I am vegan"],
  ["a log", "why?\n2026-01-02 10:11:12 INFO I am vegan\n2026-01-02 10:11:13 WARN x", "I am vegan"],
  ["a chat with times", "[10:32, 12/3/2026] Ann: I am vegan\n[10:33, 12/3/2026] Bob: ok", "I am vegan"],
  ["a chat with names", "Ann: I am vegan\nBob: me too", "I am vegan"],
  ["a chat with names and times", "Ann, 10:32\nI am vegan\nBob, 10:33\nok", "I am vegan"],
  ["a chat of one who asks", "Paco: me mudo a Lugo\nEva: ¿en serio?\nPaco: sí", "me mudo a Lugo"],
  ["a chat behind a colon", "the chat:\nAnn: I am vegan\nBob: me too", "I am vegan"],
  ["a ticket", "fix\nABC-12\nStatus: open\nBy: Ann\n\nI am vegan", "I am vegan"],
  ["terms", "fair?\n1. Diet\nI am vegan\n1.1 Claims\nI have none", "I am vegan"],
  ["fields with commas", "sort\nid,name,note\n1,Ann,I am vegan", "I am vegan"],
  ["statements", "why\nsay('I am vegan');\nrun();", "I am vegan"],
  ["a delimiter", "fix my text\n---\nI am vegan", "I am vegan"],
  ["tags", "sum up <doc>I am vegan</doc>", "I am vegan"],
  ["JSON", 'parse\n{\n"name": "x",\n"diet": "I am vegan"\n}', "I am vegan"],
  ["a pasted block", "Hier ist die Mail:\n\nIch bin Veganerin.", "Ich bin Veganerin."],
  ["a Chinese pasted block", "这是邮件：\n我吃素。", "我吃素。"],
  ["a request in one line", "Translate: I am vegan", "I am vegan"],
  ["a request above", "Traduis ce texte\nJe suis végane", "Je suis végane"],
  ["a request below", "I am vegan\n\nPlease translate this", "I am vegan"],
];

const OWN: readonly string[] = [
  "I'm allergic to nuts.\n\nI live in Rome.",
  "About me:\n- I like tea\n- I hate coffee",
  "Note: I'm allergic to nuts",
  "at 10:30 I go running",
  "I love “The Lord of the Rings” a lot",
  'They call me "Bob"',
  "I'm Ann's brother, and it's the dogs' bowl",
  "Ich wohne in der Hauptstraße 5, 10115 Berlin.\nIch mag Tee.",
  "Je m'appelle Zoé.\nJ'habite à Lyon, à l'est.",
  "Sobre mí:\n1. Soy vegano\n2. Vivo en Sevilla",
  "私は「ナルト」が好きです",
  "我喜欢喝茶。\n我住在北京。",
  "Mi chiamo Ugo; vivo a Roma.",
  "Я живу в Москве.\nЯ люблю чай.",
  "I have 3 < 5 cats",
  "I like tea, coffee, and milk.\nI have cats, dogs, and birds.",
  "- j'aime le thé ;\n- je déteste le café ;",
  "7:00 wake up\n8:00 gym\n9:30 work",
  "About me:\nName: Ann\nDiet: vegan",
  "Name: Ann\nEmail: ann@mail.example\nBorn: 1990-04-12\n\nI live in Leeds.",
  "In 2024 my goals are:\n- I want to swim\n- I want to read",
  "I read these\nhttps://a.example/x\nhttps://b.example/y",
  'I have a 27" monitor and a 24" one',
  "Likes:\n- sweets\n    - I love chocolate\n    - I love cake",
];

describe("thirdPartySpans", () => {
  it.each(PASTES)("finds %s", (_name, text, strange) => {
    expect(thirdPartyIn(text)).toContain(strange);
  });

  it.each(OWN)("ignores %j", (text) => {
    expect(thirdPartySpans(text)).toEqual([]);
  });

  it("can't tell unmarked text in the first person from the user's own", () => {
    expect(thirdPartySpans("I was born in Ohio. My father was a baker.")).toEqual([]);
  });
});

describe("announcesText", () => {
  it.each([
    "Translate the following",
    "Summarize this for me:",
    "Repeat after me.",
    "Übersetze das bitte",
    "请翻译",
  ])("detects %s", (message) => expect(announcesText(message)).toBe(true));

  it.each(["I'm vegan", "What's the weather?", "Ich mag Tee."])("leaves %s alone", (message) =>
    expect(announcesText(message)).toBe(false),
  );
});
