import { randomInt } from "node:crypto";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { expect } from "vitest";
import { createFileProvider } from "../../src/index.ts";
import { startChild } from "./child.ts";
import { said } from "./messages.ts";

/** Kills the writer after this many acknowledgements. Returns the highest number of each conversation. */
async function writeAndKill(folder: string, acknowledgements: number): Promise<Map<string, number>> {
  const child = startChild("writer-child.ts", [folder]);
  const highest = new Map<string, number>();
  let left = acknowledgements;
  const closed = once(child, "close");
  for await (const line of createInterface({ input: child.stdout })) {
    const [name = "", number] = line.split(" ");
    highest.set(name, Math.max(Number(number), highest.get(name) ?? 0));
    left -= 1;
    if (left === 0) child.kill("SIGKILL");
  }
  await closed;
  expect(child.signalCode).toBe("SIGKILL");
  return highest;
}

/** Checks that the acknowledged messages of all rounds exist once and in order. */
export async function survivesKills(folder: string, rounds: number): Promise<void> {
  for (let round = 0; round < rounds; round += 1) {
    const highest = await writeAndKill(folder, randomInt(1, 400));
    const provider = await createFileProvider({ folder });
    const all = await said(provider, "all");
    expect(all.length).toBeGreaterThanOrEqual(highest.get("all") ?? 0);
    expect(all).toEqual(all.map((_, index) => String(index + 1)));
    const last = (await said(provider, "last")).map(Number);
    const end = last.at(-1) ?? 0;
    expect(end).toBeGreaterThanOrEqual(highest.get("last") ?? 0);
    expect(last).toEqual([4, 3, 2, 1, 0].map((back) => end - back).filter((number) => number > 0));
    await provider.close();
  }
}
