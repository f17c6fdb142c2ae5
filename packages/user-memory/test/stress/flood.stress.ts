import { expect, it } from "vitest";
import { createInMemoryUserMemoryBackend } from "../../src/in-memory/backend.ts";
import { defineUserMemory } from "../../src/store/define-user-memory.ts";

const WORDS = [
  "tea",
  "coffee",
  "Rome",
  "Oslo",
  "garden",
  "piano",
  "chess",
  "winter",
  "soup",
  "novel",
  "train",
];
/** Far above the time of a recall, to detect slowness by an order of magnitude on any machine. */
const SLOW_MS = 150;

const wordOf = (index: number): string => WORDS[index % WORDS.length] ?? "";

it("16. 10,000 facts of one user, all with the same words, leave recall fast and others untouched", async () => {
  const memory = defineUserMemory(createInMemoryUserMemoryBackend());
  const other = await memory.remember("other", "Likes tea");
  for (let index = 0; index < 10_000; index++) {
    const provenance = { conversationId: `c${index % 200}`, position: Math.floor(index / 200) };
    await memory.remember("user", `Tells ${wordOf(index)} and ${wordOf(index * 7 + 1)} story ${index}`, {
      provenance,
    });
  }
  await expect(memory.remember("user", "One fact more")).rejects.toMatchObject({ code: "full" });
  const times: number[] = [];
  for (const query of WORDS.flatMap((word) => [word, `tells ${WORDS.join(" ")} story`, `${word} story`])) {
    const begun = performance.now();
    expect(await memory.recall("user", query)).toHaveLength(10);
    times.push(performance.now() - begun);
  }
  times.sort((a, b) => a - b);
  expect(times[Math.floor(times.length / 2)]).toBeLessThan(SLOW_MS);
  expect(await memory.recall("other", "tea")).toEqual([other]);
  expect(await memory.forgetAll("user")).toMatchObject({ facts: 10_000 });
  expect(await memory.recall("user", "tea")).toEqual([]);
  await memory.close();
});
