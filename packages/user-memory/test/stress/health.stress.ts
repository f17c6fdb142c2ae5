import { examineUserMemory, MemoryUserMemory } from "@jaf/user-memory";
import { expect, it } from "vitest";

const FACTS = 9_900;

it("examines 10,000 facts, and lets other work run in between", { timeout: 120_000 }, async () => {
  const memory = new MemoryUserMemory();
  for (let index = 0; index < FACTS; index += 1)
    await memory.remember("ada", `Keeps item ${index} on shelf ${index % 100} for project ${index % 37}`);
  for (let index = 0; index < 50; index += 1) {
    await memory.remember("ada", `Prefers the colour shade${index} in every editor`);
    await memory.remember("ada", `In every editor, prefers the colour shade${index}`);
  }
  let ticks = 0;
  const timer = setInterval(() => void ticks++, 1);
  const report = await examineUserMemory(memory, "ada");
  clearInterval(timer);
  expect(report).toMatchObject({ stored: 10_000, inUse: 10_000, junkRate: 0.005 });
  expect(report.findings.map(({ kind }) => kind)).toEqual(Array.from({ length: 50 }, () => "duplicate"));
  expect(ticks).toBeGreaterThan(10);
});
