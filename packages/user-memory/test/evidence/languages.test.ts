import { expect, test } from "vitest";
import { MemoryUserMemory } from "../../src/in-memory/user-memory.ts";
import { reply, turn } from "../support/live-turn.ts";

/** Messages with a model's wording, in the same language or in English. */
const SAID: readonly (readonly [language: string, said: string, paraphrase: string])[] = [
  ["English", "I always use TypeScript in strict mode.", "prefers TypeScript strict mode"],
  ["German", "Ich esse seit Jahren kein Fleisch mehr.", "Der Nutzer ist Vegetarier"],
  ["French", "J'habite à Lyon avec mes deux filles.", "L'utilisateur vit à Lyon"],
  ["Spanish", "Trabajo de noche como enfermera en Sevilla.", "La usuaria es enfermera"],
  ["Portuguese", "Eu moro no Porto e adoro o mar.", "O usuário vive no Porto"],
  ["Italian", "Non bevo caffè dopo le cinque.", "The user avoids coffee in the evening"],
  ["Dutch", "Mijn zoon speelt elke zaterdag voetbal.", "De zoon van de gebruiker voetbalt"],
  ["Polish", "Mieszkam w Krakowie i uczę się grać na pianinie.", "The user lives in Kraków"],
  ["Russian", "Я работаю программистом и живу в Казани.", "Пользователь — программист"],
  ["Turkish", "Kedim Pamuk ve ben İzmir'de yaşıyoruz.", "The user has a cat called Pamuk"],
  ["Arabic", "أعيش في القاهرة وأحب القهوة.", "المستخدم يسكن القاهرة"],
  ["Hindi", "मैं दिल्ली में रहता हूँ और शाकाहारी हूँ।", "The user is vegetarian"],
  ["Chinese", "我住在上海,养了两只猫。", "用户养猫"],
  ["Japanese", "私は京都に住んでいて、毎朝走っています。", "ユーザーは京都在住"],
  ["Korean", "저는 부산에 살고 매운 음식을 못 먹어요.", "The user can't eat spicy food"],
];

test.each(SAID)(
  "%s: word for word and as a paraphrase, it is active, and shown as it was said",
  async (_, said, paraphrase) => {
    for (const proposal of [
      { fact: said, evidence: said },
      { fact: said },
      { fact: paraphrase, evidence: said },
      { fact: paraphrase, evidence: said.toUpperCase().slice(0, -1) },
    ]) {
      const memory = new MemoryUserMemory();
      await turn({ memory }, [said], { replies: [reply({ ...proposal, score: 0.9 })] });
      expect(await memory.list("alice"), JSON.stringify(proposal)).toMatchObject([
        { fact: said, status: "active", trust: "inferred", quotation: { from: "message" } },
      ]);
      expect(await memory.review.list("alice")).toEqual([]);
    }
  },
);
