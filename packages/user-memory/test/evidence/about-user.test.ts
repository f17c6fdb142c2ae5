import { describe, expect, test } from "vitest";
import { isAboutUser } from "../../src/evidence/about-user.ts";

describe("is about the user", () => {
  test.each([
    "I hate coriander.",
    "I have two kids.",
    "Our dog is called Pixel.",
    "The workshop in Rennes opens on Friday.",
    "Can you suggest a vegan restaurant, I'm allergic to nuts?",
    "Thanks! By the way, my wife is Swedish.",
    "Translate this for my landlord, Mr Okafor: the heating is broken.",
    "How much protein do I need if I want to gain muscle?",
    "Write a cover letter for the job at Monzo, I have eight years of experience.",
    "Was kann ich meiner Tochter kochen, sie hat eine Laktoseintoleranz?",
    "Soy celíaca y no puedo comer pan normal.",
    "Mon fils Gaspard a sept ans, quel sport lui proposer ?",
    "私は東京に住んでいます。",
  ])("%s", (text) => expect(isAboutUser(text)).toBe(true));
});

describe("isn't about the user", () => {
  test.each([
    "",
    "👍",
    "Thanks, that was great!",
    "Good morning! How are you?",
    "I don't understand.",
    "I have a question.",
    "What's the capital of France?",
    "How do I get rid of moths in a cupboard?",
    "Translate this",
    "Please write a poem about the sea.",
    "Übersetze den folgenden Satz ins Englische.",
    "¿Cuál es la capital de Noruega?",
    "Merci beaucoup, c'est parfait !",
    "Traduis ce texte en anglais.",
  ])("%s", (text) => expect(isAboutUser(text)).toBe(false));
});
